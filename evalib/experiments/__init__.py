"""evalib.experiments"""
