"""What is said of workloads and proposals, in English, by code; the warnings have a wording of their own.

A template names the values of what it is about in braces: {text} of a remark, {given} of a loss, {vendor}.
"""

from collections.abc import Mapping

from inventory.hami.proposals import Lost, WithoutProposal
from inventory.hami.workloads import Note
from inventory.texts import marked

REMARKS: Mapping[Note, str] = {
    Note.UNKNOWN_KIND: marked(
        "It asks for cards, but where a workload of this kind keeps its Pods is not "
        "known. It is passed on as it is."
    ),
    Note.NOTHING_TO_CONVERT: marked("Nothing in it asks for a card. It is passed on as it is."),
    Note.NO_POD: marked("There is no Pod where this kind of workload has one. It is passed on as it is."),
    Note.MADE_ANEW: marked("Its Pod cannot be changed: delete it, then create it again."),
    Note.OWNED: marked("It belongs to {text}. Convert that one, or it makes Pods as before."),
    Note.VOLCANO_NAME: marked(
        "The webhook would call this template {text}, without the name of the Job: another "
        "Job with such a task in the same namespace would be refused."
    ),
    Note.VOLCANO_ANNOTATIONS: marked(
        "The webhook does not read {text} of a Volcano Job; here it is converted."
    ),
}
LOSSES: Mapping[Lost, str] = {
    Lost.SHARING: marked(
        "The driver gives whole cards: one with at least “{given}” MiB, and to nobody else."
    ),
    Lost.SHARING_UNLESS_CONFIGURED: marked(
        "“{given}” MiB are taken of a shared card only where the driver runs "
        "with shares of memory; otherwise a whole card with as much."
    ),
    Lost.CORES: marked("The driver has no share of cores; “{given}” is not said."),
    # xgettext:no-python-format
    Lost.MEMORY_PERCENTAGE: marked("A claim says an amount; “{given}” % of memory is not said."),
    Lost.PRIORITY: marked("A claim has no priority; “{given}” is not said."),
    Lost.UUIDS: marked("The driver publishes no UUID; “{given}” is not said."),
}
WITHOUT_PROPOSAL: Mapping[WithoutProposal, str] = {
    WithoutProposal.BY_WEBHOOK: marked(
        "The webhook converts {vendor}, once it is configured for these names."
    ),
    WithoutProposal.NONE_KNOWN: marked("No DRA driver for {vendor} is known."),
    WithoutProposal.OWN: marked("{vendor} has a DRA driver of its own, of which nothing is known here."),
    WithoutProposal.ANNOUNCED: marked("A DRA driver for {vendor} is announced, and none is published."),
}
