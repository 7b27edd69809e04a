import math

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, flag):
        super().__init__()
        layer = nn.TransformerEncoderLayer(d_model=16, nhead=2)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.right = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(16, 2, batch_first=True), num_layers=2
        )
        self.maybe = nn.GRU(2, 2, batch_first=flag)
        self.gru = nn.GRU(2, 2, 1, True, False)
        self.lstm = nn.LSTM(2, 2, batch_first=True)
        self.attention = nn.MultiheadAttention(16, 3)  # hit
        self.attend = nn.MultiheadAttention(16, 2)

    def forward(self, x):
        y = self.encoder(x)
        first = y[:, 0]  # hit
        pooled = y.mean(dim=1)  # hit
        right = self.right(x)
        first = right[:, 0] + right.mean(1)
        out, h = self.gru(x)
        last = out[:, -1, :]  # hit
        last = self.gru(x)[0][:, -1]  # hit
        last = out[-1] + h[:, -1]
        out, h = self.lstm(x)
        last = out[:, -1, :] + self.maybe(x)[0][:, -1]
        seen, _ = self.attend(x, x, x)
        seen = seen[:, 0]  # hit
        return first, pooled, last, seen, y[0], y.mean(0)


class Swapped(Encoder):
    def forward(self, x):
        y = self.encoder(x.transpose(0, 1))
        y = y.transpose(0, 1)
        return y[:, 0]


class Translator(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.transformer = nn.Transformer(width, 8)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(width, 8), 6)

    def forward(self, src, tgt, memory, mask, queries, **options):
        tgt_emb = self.embed(tgt) * math.sqrt(16)
        out = self.decoder(tgt_emb, memory)  # hit
        out = self.decoder(tgt_emb, memory, mask)
        out = self.decoder(tgt_emb, memory, tgt_mask=mask)
        out = self.decoder(tgt_emb, memory, **options)
        out = self.decoder(queries, memory)
        out = self.transformer(self.embed(src), self.embed(tgt))  # hit
        return self.transformer(self.embed(src), self.embed(tgt), tgt_mask=mask) + out
