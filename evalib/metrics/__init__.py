"""evalib.metrics"""
