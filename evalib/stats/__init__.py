"""evalib.stats"""
