from tests.inventory.sync.conftest import follow

__all__ = ["follow"]
