"""The rewrites by name, in families: a further one is a function and a line here."""

from __future__ import annotations

from collections.abc import Mapping

from rewriting import (
    argument_forms,
    base_class,
    bodies,
    comments,
    expression_places,
    helper_functions,
    import_places,
    kept_callables,
    literals,
    loop_forms,
    neutral_names,
    operator_forms,
    torch_spelling,
    trainer_class,
)
from rewriting.program import Rewrite

FAMILIES: Mapping[str, Mapping[str, Rewrite]] = {
    "names": {
        "neutral-locals": neutral_names.rename_locals,
        "neutral-parameters": neutral_names.rename_parameters,
        "neutral-attributes": neutral_names.rename_attributes,
        "neutral-definitions": neutral_names.rename_definitions,
        "neutral-names": neutral_names.rename_all,
    },
    "imports": {
        "torch-alias": torch_spelling.alias_torch,
        "layers-alias": torch_spelling.alias_layers,
        "full-names": torch_spelling.import_modules,
        "imported-members": torch_spelling.import_members,
        "star-import": torch_spelling.import_star,
        "import-in-function": import_places.import_in_functions,
        "re-export": import_places.import_from_file,
    },
    "literals": {
        "module-constant": literals.move_to_constants,
        "class-attribute": literals.move_to_class,
        "default-argument": literals.move_to_defaults,
        "dataclass": literals.move_to_dataclass,
        "dictionary": literals.move_to_dictionary,
        "argparse": literals.move_to_argparse,
    },
    "expressions": {
        "local": expression_places.put_into_locals,
        "tuple": expression_places.put_through_tuples,
        "walrus": expression_places.put_into_walrus,
    },
    "helpers": {
        "helper-function": helper_functions.move_to_function,
        "helper-file": helper_functions.move_to_file,
        "helper-method": helper_functions.move_to_method,
        "nested-function": bodies.put_in_nested_function,
        "base-class": base_class.split_class,
        "lifted-class": base_class.lift_class,
        "trainer-class": trainer_class.make_trainer,
    },
    "blocks": {
        "try": bodies.put_in_try,
        "nullcontext": bodies.put_in_nullcontext,
        "match": bodies.put_in_match,
        "loop-once": bodies.put_in_loop,
        "early-return": bodies.put_behind_return,
    },
    "forms": {
        "function": operator_forms.use_functions,
        "method": operator_forms.use_methods,
        "unbound-method": operator_forms.use_unbound_methods,
        "other-namespace": operator_forms.use_other_namespace,
        "module": operator_forms.use_modules,
        "functional": operator_forms.use_functional,
    },
    "arguments": {
        "keyword": argument_forms.name_arguments,
        "position": argument_forms.place_arguments,
        "spread": argument_forms.spread_arguments,
        "partial": kept_callables.keep_partials,
        "bound-method": kept_callables.keep_bound_methods,
    },
    "loops": {
        "enumerate": loop_forms.use_enumerate,
        "tqdm": loop_forms.use_tqdm,
        "wrapper": loop_forms.use_wrapper,
        "zip": loop_forms.use_zip,
        "while": loop_forms.use_iterator,
    },
    "comments": {
        "own-gates": comments.name_own_gates,
        "other-words": comments.name_other_words,
    },
}
NEED_SIGNATURES = frozenset({"keyword", "position", "spread"})
"""Those that have to know the parameters of what is called."""
REWRITES: Mapping[str, Rewrite] = {
    name: rewrite for family in FAMILIES.values() for name, rewrite in family.items()
}
