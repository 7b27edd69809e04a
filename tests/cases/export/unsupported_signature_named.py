# profile: torchscript-trace
from torch import nn
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput
from transformers.utils import can_return_tuple
from transformers.utils.output_capturing import capture_outputs


class Block(nn.Module):
    def forward(self, x):
        return BaseModelOutput(last_hidden_state=x.relu())


class Encoder(PreTrainedModel):
    @capture_outputs(tie_last_hidden_states=False)
    def forward(self, x, **kwargs):
        return BaseModelOutput(last_hidden_state=x.relu())


class Model(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.encoder = Encoder(config)
        self.block = Block()

    @can_return_tuple
    def forward(self, x, **kwargs):
        if x.ndim > 2:
            outputs: BaseModelOutput = self.encoder(x, **kwargs)
        else:
            outputs = self.block(x)
        return BaseModelOutput(last_hidden_state=outputs.last_hidden_state)  # hit


class Head(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.model = Model(config)

    @can_return_tuple
    def forward(self, x):
        return BaseModelOutput(last_hidden_state=self.model(x)[0])  # hit


class AtOnce(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.encoder = Encoder(config)

    @can_return_tuple
    def forward(self, x):
        return BaseModelOutput(last_hidden_state=self.encoder(x).last_hidden_state)  # hit


class Captured(PreTrainedModel):
    @capture_outputs
    def forward(self, x, return_dict=None):  # hit
        return_dict = return_dict if return_dict is not None else self.config.return_dict
        if not return_dict:
            return (x,)
        return BaseModelOutput(last_hidden_state=x)


class WithNone(PreTrainedModel):
    def forward(self, x, return_dict=None):
        return_dict = return_dict if return_dict is not None else self.config.return_dict
        if not return_dict:
            return (x, None) + (x,)  # hit
        return BaseModelOutput(last_hidden_state=x)


class ByPlace(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.encoder = Encoder(config)

    @can_return_tuple
    def forward(self, x):
        outputs = self.encoder(x)
        return BaseModelOutput(last_hidden_state=outputs[0])


class Asking(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.encoder = Encoder(config)

    @can_return_tuple
    def forward(self, x):
        outputs = self.encoder(x, return_dict=True)
        return BaseModelOutput(last_hidden_state=outputs.last_hidden_state)


class Guarded(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.encoder = Encoder(config)

    @can_return_tuple
    def forward(self, x):
        outputs = self.encoder(x)
        first = outputs[0] if isinstance(outputs, tuple) else outputs.last_hidden_state
        return BaseModelOutput(last_hidden_state=first)


class OfAnotherConfig(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.encoder = Encoder(config.text_config)

    @can_return_tuple
    def forward(self, x):
        return BaseModelOutput(last_hidden_state=self.encoder(x).last_hidden_state)


class OfPlainParts(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.block = Block()

    @can_return_tuple
    def forward(self, x):
        outputs = self.block(x)
        return BaseModelOutput(last_hidden_state=outputs.last_hidden_state)


class Anew(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.encoder = Encoder(config)
        self.block = Block()

    @can_return_tuple
    def forward(self, x):
        outputs = self.encoder(x)
        outputs = self.block(outputs[0])
        return BaseModelOutput(last_hidden_state=outputs.last_hidden_state)


class Scales(nn.Module):
    """A list of tuples, and a tuple of lists."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3)

    def forward(self, x):
        found = []
        for scale in range(3):
            y = self.conv(x * scale)
            found.append(([y, y * 2], y))
        return found  # hit


class Maps(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3)

    def forward(self, x):
        return [self.conv(x), x], x
