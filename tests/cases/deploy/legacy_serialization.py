import io

import torch


def save(state, path, old, options):
    torch.save(state, path, _use_new_zipfile_serialization=False)  # hit
    torch.save(state, path, _use_new_zipfile_serialization=old)
    torch.save(state, path, _use_new_zipfile_serialization=True)
    torch.save(state, path, **options)
    options.save(state, _use_new_zipfile_serialization=False)
    buffer = io.BytesIO()
    torch.save(state, buffer, _use_new_zipfile_serialization=False)


RECENT = torch.__version__ >= "1.6"
if RECENT:
    torch.save(model.state_dict(), path)
else:
    torch.save(model.state_dict(), path, _use_new_zipfile_serialization=False)


class Old:
    zipped = False


def write(state, path, settings=Old()):
    keep = torch.save
    keep(state, path, _use_new_zipfile_serialization=settings.zipped)  # hit
    keep(state, path, **{"_use_new_zipfile_serialization": not settings.zipped})
