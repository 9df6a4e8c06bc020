"""evalib.plots"""
