"""evalib: evaluate conversational voice agents."""
