"""evalib.domains"""
