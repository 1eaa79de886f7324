class SupervisorError(Exception):
    """Why the service cannot start or go on, in words for the person at the terminal."""
