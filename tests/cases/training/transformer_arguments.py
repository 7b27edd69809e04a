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


def last(rows):
    return rows[:, -1]


class Base(nn.Module):
    def __init__(self, kind=nn.LSTM):
        super().__init__()
        options = {"input_size": 8, "hidden_size": 8}
        self.rnns = nn.ModuleList([kind(**options) for _ in range(2)])
        self.good = nn.ModuleList([kind(**options, batch_first=True)])

    def run(self, x):
        for rnn in self.rnns:
            x = rnn(x)[0]
        return x


class Tagger(Base):
    def forward(self, x):
        out = self.run(x)
        mean = torch.mean(out, 1)  # hit
        for rnn in self.good:
            x, state = rnn(x)
        return mean, x[:, -1], x.mean(1), out[:, -1]  # hit


class TimeFirst(Base):
    def forward(self, x):
        out = self.run(x.permute(1, 0, 2))
        return out[:, -1]


class Queries(nn.Module):
    def __init__(self):
        super().__init__()
        self.queries = nn.Embedding(10, 16)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 2), 1)

    def forward(self, target, memory):
        found = self.decoder(self.queries.weight.unsqueeze(1), memory)
        words = self.queries(target)
        return found, self.decoder(tgt=words, memory=memory)  # hit


class OneSequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2)

    def forward(self, rows):
        return rows + self.attention(rows[:, None], rows[:, None], rows[:, None])[0][:, 0]


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.cut = nn.Conv2d(3, 16, 4, 4)
        self.attend = nn.MultiheadAttention(16, 2)
        self.right = nn.MultiheadAttention(16, 2, batch_first=True)
        self.norm = nn.LayerNorm(16)

    def forward(self, image):
        x = self.cut(image).flatten(2).transpose(1, 2)
        y = self.norm(x)
        x = x + self.attend(y, y, y)[0]  # hit
        z = self.cut(image).flatten(2).permute(2, 0, 1)
        return x, self.right(y, y, y)[0], self.attend(z, z, z)[0]


class Causal(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.attend = nn.MultiheadAttention(wide, 4)
        self.right = nn.MultiheadAttention(wide, 4, batch_first=True)

    def forward(self, x):
        batch, steps, _ = x.shape
        mask = torch.triu(torch.ones(steps, steps, dtype=torch.bool), 1)
        out, _ = self.attend(x, x, x, attn_mask=mask)  # hit
        turned = x.transpose(0, 1)
        other, _ = self.attend(turned, turned, turned, attn_mask=mask)
        return out, other, self.right(x, x, x, attn_mask=mask)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend = nn.MultiheadAttention(8, 2)
        self.norm = nn.LayerNorm(8)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        b, t, d = x.shape
        y, _ = self.attend(x, x, x)
        y = self.norm(x + self.drop(y)).reshape(b, t, d)
        return y[:, -1]  # hit


class Places(nn.Module):
    def __init__(self):
        super().__init__()
        self.cut = nn.Conv2d(3, 16, 4, 4)
        self.where = nn.Parameter(torch.zeros(1, 64, 16))
        self.attend = nn.MultiheadAttention(16, 2)
        self.as_batch = nn.MultiheadAttention(16, 2, batch_first=True)

    def forward(self, x):
        x = self.cut(x).flatten(2).transpose(1, 2) + self.where
        y = self.attend(x, x, x)[0]  # hit
        return y + self.as_batch(x, x, x)[0]


class Captioner(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 8)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, batch_first=True), 2)
        self.head = nn.Linear(8, 100)

    def forward(self, words, memory, mask=None):
        return self.head(self.decoder(self.embed(words), memory, tgt_mask=mask))


class Maskless(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 8)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, batch_first=True), 2)

    def forward(self, words, memory):
        return self.decoder(self.embed(words), memory, tgt_mask=None)  # hit


class PassedOn(nn.Module):
    def forward(self, words, memory):
        return memory


class EncoderAlone(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 8)
        self.body = nn.Transformer(8, 2, custom_decoder=PassedOn())
        self.whole = nn.Transformer(8, 2)

    def forward(self, words, mask):
        words = self.embed(words)
        coded = self.body(words, words, src_mask=mask)
        return coded + self.whole(words, words, src_mask=mask)  # hit
