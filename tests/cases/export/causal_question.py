import torch
from torch import nn


def hide_later(steps):
    return torch.triu(torch.full((steps, steps), float("-inf")), diagonal=1)


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(16, 2, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.plain = layer
        self.register_buffer("later", hide_later(64))

    def forward(self, x, padded):
        steps = x.shape[1]
        unmasked = self.encoder(x)
        padding = self.encoder(x, src_key_padding_mask=padded)
        made = self.encoder(x, hide_later(steps))  # hit
        kept = self.encoder(x, mask=self.later[:steps, :steps])  # hit
        told = self.encoder(x, mask=hide_later(steps), is_causal=True)
        denied = self.encoder(x, mask=hide_later(steps), is_causal=False)
        layer = self.plain(x, src_mask=hide_later(steps))
        return unmasked, padding, made, kept, told, denied, layer


class Translated(nn.Module):
    def __init__(self):
        super().__init__()
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 2), 2)
        self.both = nn.Transformer(16, 2, 1, 1)

    def forward(self, x, memory):
        later = nn.Transformer.generate_square_subsequent_mask(x.shape[0])
        one = self.decoder(x, memory, later)  # hit
        two = self.decoder(x, memory, memory_mask=later)
        three = self.both(memory, x, tgt_mask=later)  # hit
        four = self.both(memory, x, tgt_mask=later, tgt_is_causal=False)
        return one, two, three, four


class Remembering(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = None
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2), 2)

    def forward(self, x):
        if self.mask is None or self.mask.size(0) != len(x):
            self.mask = hide_later(len(x)).to(x.device)
        return self.encoder(x, self.mask)  # hit
