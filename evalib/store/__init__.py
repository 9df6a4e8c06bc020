"""evalib.store"""
