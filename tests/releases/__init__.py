"""What earlier releases left behind: their code, and databases they wrote. Today's code opens both."""
