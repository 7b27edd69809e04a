import math

import torch
from torch import nn


class WordModel(nn.Transformer):
    def __init__(self, words, width):
        super(WordModel, self).__init__(d_model=width, nhead=2, num_encoder_layers=2)
        self.src_mask = None
        self.embed = nn.Embedding(words, width)
        self.decoder = nn.Linear(width, words)

    def _hide_later(self, size):
        return torch.log(torch.tril(torch.ones(size, size)))

    def forward(self, src, has_mask=True):
        if has_mask:
            if self.src_mask is None or self.src_mask.size(0) != len(src):
                self.src_mask = self._hide_later(len(src)).to(src.device)
        else:
            self.src_mask = None
        output = self.encoder(self.embed(src) * math.sqrt(8), mask=self.src_mask)  # hit
        return self.decoder(output)


class Translating(nn.Transformer):
    def forward(self, src, tgt):
        later = self.generate_square_subsequent_mask(tgt.size(0))
        memory = self.encoder(src)
        return self.decoder(tgt, memory, tgt_mask=later)  # hit


class Whole(nn.Transformer):
    def forward(self, src, tgt):
        later = self.generate_square_subsequent_mask(tgt.size(0))
        told = super().forward(src, tgt, tgt_mask=later, tgt_is_causal=True)
        return told + super().forward(src, tgt, tgt_mask=later)  # hit


class Reading(nn.TransformerEncoder):
    def __init__(self, width):
        super().__init__(nn.TransformerEncoderLayer(width, 2), 2)

    def forward(self, x):
        later = nn.Transformer.generate_square_subsequent_mask(len(x))
        return super().forward(x, mask=later)  # hit


class Plain(nn.TransformerEncoder):
    pass


class Halves(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = Plain(nn.TransformerEncoderLayer(16, 2), 2)
        self.model = nn.Transformer(16, 2)

    def forward(self, x, y):
        later = self.model.generate_square_subsequent_mask(x.size(0)).to(x.device)
        a = self.plain(x, later)  # hit
        b = self.model.encoder(x, later)  # hit
        c = self.model.decoder(y, b, tgt_mask=later)  # hit
        d = self.model.encoder(x, mask=later, is_causal=True)
        e = self.model.encoder(x)
        f = self.model.encoder.layers[0](x, later)
        g = self.model.decoder(y, b, memory_mask=later)
        return a, b, c, d, e, f, g


class Own(nn.Module):
    def forward(self, x, mask=None):
        return x if mask is None else x + mask


class Customized(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Transformer(16, 2, custom_encoder=Own())

    def forward(self, x):
        later = self.model.generate_square_subsequent_mask(x.size(0))
        return self.model.encoder(x, later)
