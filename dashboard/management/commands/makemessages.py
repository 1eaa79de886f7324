"""Collects the texts for translators, those of the rules too."""

from django.core.management.commands import makemessages

from inventory.texts import marked


class Command(makemessages.Command):
    xgettext_options = [*makemessages.Command.xgettext_options, f"--keyword={marked.__name__}"]
