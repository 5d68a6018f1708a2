"""Steps of a cell made linear: what each does to a small change, at states that are known.

What      A step reads the state before it, what the input adds, and products of the state with recurrent
          weights; between these each unit stands alone.  So the Jacobian of a step is a few diagonals
          around U, found for all steps at once, and what is left to do one step after the other is
          g_before = sum of diagonals * g_after + (diagonal * g_after) U
          A layer norm y = gain * x' + bias, x' = (x - mean) / s, is one more matrix, of its own at each
          step: g_x = v - mean(v) - x' mean(v * x') with v = gain / s * g_y.  Behind weights U that is
          U less its mean row, and one product of a column and a row besides.
Source    Werbos, Backpropagation Through Time: What It Does and How to Do It, Proc. IEEE 78(10), 1990
Shapes    T = steps, R = losses, P = parts of the state, H = units, S = P H, E = rows of a product or of
          the input, B = E / H their blocks
Differs   Exact, but only of cells that are so; of others `steps` is None: a state may be wider than the cell.
          `chained` takes one as wide as several cells, in blocks.  Each cell is tried once, at a state drawn at
          random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor

from engine.core.tap import passthrough
from engine.nn.cells.base import Cell, InTorch

FEW = 4  # rows; from there on torch's products are the quicker ones
CHUNK, SMALL = 16, 8  # steps

EPSILON = 1e-5  # of torch's layer norm

_alone: WeakKeyDictionary[Cell, bool] = WeakKeyDictionary()
_by_weights: WeakKeyDictionary[Cell, bool] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Norm:
    """Layer norms of all steps: scale (T, E), gain / s, and even (T, E), x'."""

    scale: np.ndarray
    even: np.ndarray

    @classmethod
    def of(cls, x_TE: Tensor, gain_E: Tensor) -> Norm:
        far_TE = x_TE - x_TE.mean(-1, keepdim=True)
        by_T1 = (far_TE.square().mean(-1, keepdim=True) + EPSILON).rsqrt()
        return cls((gain_E * by_T1).numpy(), (far_TE * by_T1).numpy())

    def back(self, g_RE: np.ndarray, t: int) -> np.ndarray:
        """What a loss says of what step t normed, from what it says of the outcome."""
        v_RE, even_E = g_RE * self.scale[t], self.even[t]
        far_R1 = (v_RE @ even_E)[:, None] / len(even_E)
        found: np.ndarray = v_RE - v_RE.mean(-1, keepdims=True) - far_R1 * even_E
        return found

    def rows(self, far_EH: Tensor, at: slice) -> tuple[Tensor, Tensor, Tensor]:
        """Of weights less their mean row, behind the norm, (T, E), (T, E) and (T, H): their row e is multiplied by
        the first; the second times the third is taken off."""
        scale_TE, even_TE = (torch.from_numpy(part[at]) for part in (self.scale, self.even))
        return scale_TE, scale_TE * even_TE, even_TE @ far_EH / len(far_EH)

    def moved(self, x_TEC: Tensor, at: slice) -> Tensor:
        """Columns (T, E, C), or the same (E, C) at every step, behind the norm."""
        even_TE, scale_TE = (torch.from_numpy(part[at]) for part in (self.even, self.scale))
        along_TC = even_TE[:, None] @ x_TEC / even_TE.shape[1]
        far_TEC = (x_TEC - x_TEC.mean(-2, keepdim=True)).expand(len(even_TE), -1, -1)
        found = torch.addcmul(far_TEC, even_TE[..., None], along_TC, value=-1)
        return found.mul_(scale_TE[..., None])


@dataclass(slots=True)
class Use:
    """What is read, the weights (H, E) that it is multiplied by, a norm behind them, and what is made."""

    read: Tensor
    weights: Tensor | None
    norm: Norm | None
    made: Tensor


class Products(InTorch):
    """Keeps every product of a state and recurrent weights, and every layer norm, as a place to ask for
    gradients of; and with them the fields `cut`, so that what is made from one counts as made from it."""

    def __init__(self, *of: Any, cut: Sequence[str] = ()) -> None:
        super().__init__(*of)
        self.uses: list[Use] = []
        self.cut, self.whole = cut, dict[str, Tensor]()

    def see(self, name: str, value: Tensor) -> Tensor:
        value = super().see(name, value)
        if name not in self.cut:
            return value
        self.whole[name] = value
        return value.detach().requires_grad_()

    def product(self, h: Any, u: Any) -> Any:
        made = (h @ u).detach().requires_grad_()
        self.uses.append(Use(h, u, None, made))
        return made

    def norm(self, x: Any, gain: Any, bias: Any) -> Any:  # type: ignore[override]
        found = Norm.of(x.detach(), gain.detach())
        made = InTorch.norm(x.detach(), gain.detach(), bias.detach()).requires_grad_()
        if self.uses and self.uses[-1].made is x:  # of nothing but a product
            self.uses[-1] = Use(self.uses[-1].read, self.uses[-1].weights, found, made)
        else:
            self.uses.append(Use(x, None, found, made))
        return made


@dataclass(frozen=True, slots=True)
class Product:
    """A product of one step with recurrent weights, a layer norm, or one behind the other.

    u_EH   the weights, as they lead back from it; None of a layer norm alone, E = H
    part   the part of the state that it reads as it is, or the first of those; None where that is made from more
    by     (T, B, H) of what it reads: by each part of the state, and each block of the products before; None
           where `part` says it
    drive  (T, B, H) the same by what the input adds; None where that has no part in it
    norm   of the product, or of what is read
    """

    u_EH: np.ndarray | None
    part: int | None
    by: np.ndarray | None
    drive: np.ndarray | None
    norm: Norm | None = None

    def rows(self, units: int) -> int:
        """E."""
        return units if self.u_EH is None else len(self.u_EH)

    def back(self, g_RE: np.ndarray, t: int) -> tuple[np.ndarray, np.ndarray]:
        """From what a loss says of the outcome of step t: what it says of the product, and of what is read."""
        if self.norm is not None:
            g_RE = self.norm.back(g_RE, t)
        return g_RE, g_RE if self.u_EH is None else _times(g_RE, self.u_EH)


@dataclass(frozen=True, slots=True)
class Within:
    """What part `of` of the state after a step is by part `part` of that very state: slope (T, H), behind a norm or
    not."""

    of: int
    part: int
    slope: np.ndarray
    norm: Norm | None

    def adds(self) -> Callable[[Sequence[Tensor], int], None]:
        """Adds to what is said of `part` (of P (R, H), step t) what follows from what is said of `of`."""
        of, part = self.of, self.part
        if self.norm is None:
            slopes = torch.from_numpy(self.slope).unbind()

            def add(g_PRH: Sequence[Tensor], t: int) -> None:
                g_PRH[part].addcmul_(g_PRH[of], slopes[t])

            return add
        even_TH = torch.from_numpy(self.norm.even)
        scale_TH = torch.from_numpy(self.slope * self.norm.scale)
        rows_T2H = torch.stack([torch.ones_like(even_TH), even_TH], 1)
        both_T2H = (rows_T2H * scale_TH[:, None]).div_(-even_TH.shape[1])
        scales, rows, both = scale_TH.unbind(), rows_T2H.unbind(), both_T2H.mT.unbind()

        def add_normed(g_PRH: Sequence[Tensor], t: int) -> None:
            g_PRH[part].addcmul_(g_PRH[of], scales[t]).addmm_(g_PRH[of] @ both[t], rows[t])

        return add_normed


@dataclass(frozen=True, slots=True)
class Plan:
    """What the Jacobians of all steps have in common.

    used    (P, B), and per product (B,) of what it reads: whether a block is any other than 0
    whole   per product its weights, (E, H), less the mean row where a norm stands behind them
    blocks  the same, (B, H, C), of a product that reads the state as it is
    """

    used: np.ndarray
    reads: tuple[np.ndarray | None, ...]
    whole: tuple[Tensor | None, ...]
    blocks: tuple[Tensor | None, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """Over rows and columns of the Jacobians of some steps: a diagonal of each (T, H, 1) times a block of the weights
    (H, C), a diagonal alone (T, H), or zeros; `first` of what is written there."""

    rows: slice
    columns: slice
    scale: Tensor | None
    matrix: Tensor | None
    first: bool

    def run(self, step_TSC: Tensor, at: slice) -> None:
        into = step_TSC[:, self.rows, self.columns]
        if self.scale is None:
            into.zero_()
        elif self.matrix is None:
            into.diagonal(dim1=1, dim2=2).add_(self.scale[at])
        elif self.first:
            torch.mul(self.scale[at], self.matrix, out=into)
        else:
            into.addcmul_(self.scale[at], self.matrix)


@dataclass(frozen=True, slots=True)
class Linear:
    """All steps of a layer.

    by        (T, P, B, H) of each part of the state after: by each part before, and each block of all products
    drive     (T, P, B, H) the same by what the input adds; None where that is as by the only product
    products  in the order in which a step makes them
    within    how parts of the state after depend on each other; `by` is then what is left beside that
    """

    by: np.ndarray
    drive: np.ndarray | None
    products: tuple[Product, ...]
    within: tuple[Within, ...] = ()

    def back(
        self,
        given_RTPH: np.ndarray,
        later_RPH: np.ndarray | None = None,
        drive: bool = True,
        uses: bool = False,
    ) -> Back:
        """What a loss says of each number, from what it says of the states directly.

        later_RPH  of the last state, by steps that follow these
        drive      whether it is asked for of the input
        uses       whether its length is asked for of each product
        """
        if drive and (slope_TH := self._slopes()) is not None:
            return self._plain(slope_TH, given_RTPH, later_RPH, uses)
        rows, count, parts, units = given_RTPH.shape
        after_RTPH = np.empty_like(given_RTPH)
        first = [parts]  # block at which each product begins
        for product in self.products:
            first.append(first[-1] + product.rows(units) // units)
        whole = drive and self.drive is None
        made_RTE = np.empty((rows, count, self.products[0].rows(units)), given_RTPH.dtype)
        reads: list[np.ndarray | None] = [
            None if p.by is None else np.empty((rows, count, units), given_RTPH.dtype)
            for p in self.products
        ]
        square_JRT = np.zeros((len(self.products) if uses else 0, rows, count), given_RTPH.dtype)
        carry_RPH = np.zeros_like(given_RTPH[:, 0]) if later_RPH is None else later_RPH
        for t in range(count - 1, -1, -1):
            g_RPH = after_RTPH[:, t]
            np.add(carry_RPH, given_RTPH[:, t], out=g_RPH)
            by_PBH = self.by[t]
            y_RBH = by_PBH[0] * g_RPH[:, :1]
            for p in range(1, parts):
                y_RBH += by_PBH[p] * g_RPH[:, p : p + 1]
            for j in range(len(self.products) - 1, -1, -1):
                product = self.products[j]
                g_RE, g_RH = product.back(y_RBH[:, first[j] : first[j + 1]].reshape(rows, -1), t)
                if whole:
                    made_RTE[:, t] = g_RE
                if uses and product.u_EH is not None:
                    square_JRT[j, :, t] = np.einsum("re,re->r", g_RE, g_RE)
                if product.part is not None:
                    last = product.part + g_RH.shape[1] // units
                    y_RBH[:, product.part : last] += g_RH.reshape(rows, -1, units)
                else:
                    assert product.by is not None
                    y_RBH[:, : first[j]] += product.by[t] * g_RH[:, None]
                    reads[j][:, t] = g_RH  # type: ignore[index]
            carry_RPH = y_RBH[:, :parts]
        drive_RTE = made_RTE if whole else None
        if drive and self.drive is not None:
            found = np.einsum("tpbh,rtph->rtbh", self.drive, after_RTPH)
            for product, read in zip(self.products, reads, strict=True):
                if product.drive is not None and read is not None:
                    found += product.drive * read[:, :, None]
            drive_RTE = found.reshape(rows, count, -1)
        return Back(after_RTPH, carry_RPH, drive_RTE, tuple(reads), np.sqrt(square_JRT))

    def _slopes(self) -> np.ndarray | None:
        """(T, H) of steps that are one activation of W x + U h + b; None of others."""
        one = self.products[0]
        plain = self.by.shape[1:3] == (1, 2) and len(self.products) == 1 and self.drive is None
        if not plain or one.part != 0 or one.norm is not None or self.by[:, 0, 0].any():
            return None
        return self.by[:, 0, 1]

    def _plain(
        self, slope_TH: np.ndarray, given_RTPH: np.ndarray, later_RPH: np.ndarray | None, uses: bool
    ) -> Back:
        """`back` of such steps, in a third of the calls."""
        u_EH, after_RTPH = self.products[0].u_EH, np.empty_like(given_RTPH)
        assert u_EH is not None
        made_RTH = np.empty_like(given_RTPH[:, :, 0])
        carry_RH = np.zeros_like(given_RTPH[:, 0, 0]) if later_RPH is None else later_RPH[:, 0]
        for t in range(len(slope_TH) - 1, -1, -1):
            g_RH = np.add(carry_RH, given_RTPH[:, t, 0], out=after_RTPH[:, t, 0])
            carry_RH = _times(np.multiply(g_RH, slope_TH[t], out=made_RTH[:, t]), u_EH)
        long_JRT = np.linalg.norm(made_RTH, axis=-1)[None]
        return Back(after_RTPH, carry_RH[:, None], made_RTH, (None,), long_JRT[: int(uses)])

    def jacobians(self) -> Tensor:
        """(T, S, S): d after / d before of every step."""
        count, parts, _, units = self.by.shape
        found, plan = (
            torch.from_numpy(self.by).new_empty(count, *(parts * units,) * 2),
            self._plan(),
        )
        for first in range(0, count, CHUNK):  # so many at once as stay near the processor
            at = slice(first, first + CHUNK)
            self._columns(found[at], at, range(parts), plan)
        return found

    def chain(self, hidden: int = 1) -> Iterator[Tensor]:
        """(N, S): what the last step's first parts, N numbers, are by the state before that step, before the last two,
        ... all of them.  The next one overwrites it.

        A product is multiplied only by those columns of a step in which units meet; in the others (a memory that is
        kept unit by unit) a step is diagonals.  What the hidden state is by the memory of its own step is added
        first: then it takes no matrix, either.
        """
        count, parts, _, units = self.by.shape
        meet, size, plan = self._meet(), hidden * units, self._plan()
        wide = len(meet) * units
        by = torch.from_numpy(self.by)
        alone = [  # memories, and by what
            (q, p, by[:, p, q].unbind())
            for q in range(parts)
            if q not in meet
            for p in range(parts)
            if plan.used[p, q]
        ]
        adds = [one.adds() for one in self.within]
        turns = []
        for matrix in by.new_zeros(2, size, parts, units):
            flat = matrix.view(size, -1)
            turns.append((matrix.unbind(1), flat, flat[:, :wide]))
        turns[0][1].diagonal().fill_(1)
        passes = self._passes(meet, plan)
        step = (  # a step in one piece; or rows outermost: a block of the weights is then one product for all steps
            by.new_empty(parts * units, min(CHUNK, count), wide).transpose(0, 1)
            if passes is None
            else by.new_empty(min(SMALL, count), parts * units, wide)
        )
        first_met = meet == [*range(len(meet))]  # then a product needs no copy
        many = step.shape[0]
        for first in range((count - 1) // many * many, -1, -many):
            stop = min(count, first + many)
            if passes is None:
                self._columns(step[: stop - first], slice(first, stop), meet, plan)
            else:
                for one in passes:
                    one.run(step[: stop - first], slice(first, stop))
            each = step[: stop - first].unbind()
            for t in range(stop - 1, first - 1, -1):
                step_SC = each[t - first]
                (after, flat, _), (before, made, met) = turns
                for add in adds:
                    add(after, t)
                if first_met:
                    torch.mm(flat, step_SC, out=met)
                else:
                    for q, columns in zip(meet, (flat @ step_SC).split(units, 1), strict=True):
                        before[q].copy_(columns)
                begun = -1
                for q, p, by_TH in alone:
                    if q == begun:
                        before[q].addcmul_(after[p], by_TH[t])
                    else:
                        torch.mul(after[p], by_TH[t], out=before[q])
                    begun = q
                yield made
                turns.reverse()

    def _passes(self, of: Sequence[int], plan: Plan) -> list[Pass] | None:
        """What `_columns` does of steps whose products read the state as it is, with no norm behind: laid down
        once.  None of others."""
        if any(product.part is None or product.norm is not None for product in self.products):
            return None
        by, found = torch.from_numpy(self.by), list[Pass]()
        parts, units = by.shape[1], by.shape[-1]
        for p in range(parts):
            rows, begun = slice(p * units, (p + 1) * units), set[int]()
            block = parts
            for product, matrices in zip(self.products, plan.blocks, strict=True):
                assert product.part is not None and matrices is not None
                reads = range(product.part, product.part + matrices.shape[2] // units)
                first = of.index(product.part) * units
                columns = slice(first, first + matrices.shape[2])
                for matrix_HC in matrices:
                    if plan.used[p, block]:
                        if not begun.isdisjoint(reads) and not begun.issuperset(reads):
                            return None
                        scale = by[:, p, block, :, None]
                        found.append(Pass(rows, columns, scale, matrix_HC, begun.isdisjoint(reads)))
                        begun.update(reads)
                    block += 1
            for i, q in enumerate(of):
                columns = slice(i * units, (i + 1) * units)
                if q not in begun:
                    found.append(Pass(rows, columns, None, None, True))
                if plan.used[p, q]:
                    found.append(Pass(rows, columns, by[:, p, q], None, False))
        return found

    def _plan(self) -> Plan:
        units, reads, weights, blocks = self.by.shape[-1], [], [], []
        for product in self.products:
            reads.append(None if product.by is None else np.any(product.by, (0, 2)))
            u_EH = None if product.u_EH is None else torch.from_numpy(product.u_EH)
            if u_EH is not None and product.norm is not None and product.part is not None:
                u_EH = u_EH - u_EH.mean(0)
            weights.append(u_EH)
            alike = u_EH is not None and product.part is not None
            blocks.append(
                u_EH.view(-1, units, u_EH.shape[1]) if u_EH is not None and alike else None
            )
        return Plan(np.any(self.by, (0, 3)), tuple(reads), tuple(weights), tuple(blocks))

    def _meet(self) -> list[int]:
        """The parts of the state before that recurrent weights read."""
        parts = self.by.shape[1]
        units = self.by.shape[-1]
        read = {
            p.part + i
            for p in self.products
            if p.part is not None and p.u_EH is not None
            for i in range(p.u_EH.shape[1] // units)
        }
        for product in self.products:
            if product.by is not None:
                read |= {q for q in range(parts) if product.by[:, q].any()}
        return sorted(read)

    def _columns(self, found: Tensor, at: slice, of: Sequence[int], plan: Plan) -> None:
        """Of some steps the columns (T, S, C H) of C parts of the state before."""
        count, (_, parts, _, units) = len(found), self.by.shape
        by = torch.from_numpy(self.by[at])
        moved: list[Moved] = []  # of each product, by the state before
        for product, u_EH, blocks, used in zip(
            self.products, plan.whole, plan.blocks, plan.reads, strict=True
        ):
            if product.part is not None:
                assert u_EH is not None and blocks is not None
                off = None if product.norm is None else product.norm.rows(u_EH, at)
                moved.append(Moved(blocks, product.part, off))
                continue
            assert product.by is not None and used is not None
            read = by.new_empty(units, count, len(of) * units)
            self._sum(
                read.transpose(0, 1), torch.from_numpy(product.by[at]), used, moved, of, parts
            )
            if product.norm is not None:
                read = read.transpose(0, 1)
                if u_EH is not None:
                    read = u_EH @ read
                moved.append(Moved(_blocks(product.norm.moved(read, at), units), None))
                continue
            assert u_EH is not None
            # one product of all steps: (E, H) times (H, T C H)
            made = (u_EH @ read.view(units, -1)).view(-1, units, count, len(of) * units)
            moved.append(Moved(made.transpose(1, 2), None))  # (B, T, H, C H)
        for p in range(parts):
            rows = found[:, p * units : (p + 1) * units]
            self._sum(rows, by[:, p], plan.used[p], moved, of, parts)

    @staticmethod
    def _sum(
        into: Tensor,
        by_TBH: Tensor,
        used_B: np.ndarray,
        moved: Sequence[Moved],
        of: Sequence[int],
        parts: int,
    ) -> None:
        """Rows (T, H, C H) of a Jacobian, from the diagonals of what they are made of, those that are used."""
        units, block = into.shape[1], parts
        begun: set[int] = set()

        def columns(first: int, count: int = 1) -> Tensor:
            i = of.index(first)
            return into[:, :, i * units : (i + count) * units]

        for one in moved:
            size = len(one.matrix)
            scale_TBH = by_TBH[:, block : block + size]
            used = np.flatnonzero(used_B[block : block + size]).tolist()
            block += size
            if not used or not (one.part is None or one.part in of):
                continue
            reads, at = of, into
            if one.part is not None:
                reads = range(one.part, one.part + one.matrix.shape[2] // units)
                at = columns(one.part, len(reads))
            if one.off is not None:
                scale_TE, column_TE, row_TC = one.off
                column_TH = (scale_TBH * column_TE.unflatten(1, (-1, units))).sum(1)
                scale_TBH = scale_TBH * scale_TE.unflatten(1, (-1, units))
            for b in (
                used
            ):  # a pass over numbers that are near costs less than to multiply so thin a batch
                scale_TH1 = scale_TBH[:, b, :, None]
                if begun.isdisjoint(reads):
                    torch.mul(scale_TH1, one.matrix[b], out=at)
                    begun.update(reads)
                    continue
                for q in set(reads) - begun:
                    columns(q).zero_()
                begun.update(reads)
                at.addcmul_(scale_TH1, one.matrix[b])
            if one.off is not None:
                at.addcmul_(column_TH[..., None], row_TC[:, None], value=-1)
        for q in of:
            if q not in begun:
                columns(q).zero_()
            if used_B[q]:
                columns(q).diagonal(dim1=1, dim2=2).add_(by_TBH[:, q])


@dataclass(frozen=True, slots=True)
class Moved:
    """What a product of each step is by the state before: (B, H, C) of the parts from `part` on, the same weights at
    each step, with what a norm scales and takes off (`Norm.rows`); (B, T, H, C) of all columns asked for where
    `part` is None."""

    matrix: Tensor
    part: int | None
    off: tuple[Tensor, Tensor, Tensor] | None = None


@dataclass(frozen=True, slots=True)
class Back:
    """What a loss says of the numbers of all steps.

    after_RTPH   of the states
    before_RPH   of the state before the first step
    drive_RTE    of what the input adds; None where it was not asked for
    reads        per product (R, T, H), of what it reads; None where that is a part of the state
    use_JRT      how long what it says of each product with weights is; empty where that was not asked for
    """

    after_RTPH: np.ndarray
    before_RPH: np.ndarray
    drive_RTE: np.ndarray | None
    reads: tuple[np.ndarray | None, ...]
    use_JRT: np.ndarray


def _blocks(x_TEC: Tensor, units: int) -> Tensor:
    """(B, T, H, C)."""
    return x_TEC.unflatten(1, (-1, units)).transpose(0, 1)


def _split(x_TN: Tensor, units: int) -> Sequence[Tensor]:
    return (x_TN,) if x_TN.shape[-1] == units else x_TN.chunk(x_TN.shape[-1] // units, -1)


def _times(g_RE: np.ndarray, u_EH: np.ndarray) -> np.ndarray:
    if len(g_RE) < FEW:
        return np.stack([row @ u_EH for row in g_RE]) if len(g_RE) > 1 else g_RE @ u_EH
    return (torch.from_numpy(g_RE) @ torch.from_numpy(u_EH)).numpy()


@dataclass(frozen=True, slots=True)
class Steps:
    """All steps of a layer at once, as rows of one batch, each from a state that is known.

    seen    by name the numbers (T, H) that a step shows
    after   (T, H) per part of the state
    drive   (T, E)
    """

    linear: Linear
    seen: dict[str, Tensor]
    after: tuple[Tensor, ...]
    drive: Tensor
    read: tuple[Tensor, ...]

    def fields(self, back: Back, row: int = 0) -> dict[str, Tensor]:
        """By name (T, H): what a loss says of each number that a step shows."""
        g_TPH = torch.from_numpy(back.after_RTPH[row])
        loss = (g_TPH * torch.stack(self.after, 1)).sum()
        for read, g in zip(self.read, back.reads, strict=True):
            if g is not None:
                loss = loss + (torch.from_numpy(g[row]) * read).sum()
        grads = torch.autograd.grad(
            loss, [*self.seen.values()], retain_graph=True, allow_unused=True
        )
        return {
            name: torch.zeros_like(value) if g is None else g
            for (name, value), g in zip(self.seen.items(), grads, strict=True)
        }


def steps(cell: Cell, a_TE: Tensor, before: Sequence[Tensor]) -> Steps | None:
    """The steps of a cell on the processor, at least one, or None where its units do not stand alone.  Gradients are
    switched on.

    a_TE    what the input adds
    before  (T, H) per part of the state before each step
    """
    if any(n != cell.h for n in cell.sizes()):
        return None
    return _steps(cell, a_TE, before) if _known(cell, a_TE, before) else None


def chained(cell: Cell, a_TE: Tensor, before: Sequence[Tensor]) -> Iterator[Tensor] | None:
    """`Linear.chain` of the hidden state, as `steps` would have it, of a state in blocks as wide as the cell, too."""
    if not _known(cell, a_TE, before):
        return None
    made = _steps(cell, a_TE, before, cut=True)
    return made.linear.chain(cell.width // cell.h)


def _known(cell: Cell, a_TE: Tensor, before: Sequence[Tensor]) -> bool:
    if (known := _alone.get(cell)) is None:
        known = _alone[cell] = _stands_alone(cell, a_TE, before)
    return known


def _steps(cell: Cell, a_TE: Tensor, before: Sequence[Tensor], cut: bool = False) -> Steps:
    units, count = cell.h, len(a_TE)
    drive = a_TE.detach().requires_grad_()
    blocks = [_split(part.detach(), units) for part in before]
    begin: list[Tensor] = [block.requires_grad_() for part in blocks for block in part]
    first = [0, *accumulate(len(part) for part in blocks)]
    whole = [begin[a] if b == a + 1 else torch.cat(begin[a:b], -1) for a, b in pairwise(first)]
    kept = [name for name in cell.state if name != "hidden"] if cut else []
    now = Products(cell.names, passthrough, None, cut=kept)
    after = cell.step(cell.parts(), drive, tuple(whole), now)
    leaves = {first[cell.state.index(name)]: after[cell.state.index(name)] for name in now.whole}
    told = [now.whole.get(n, part) for n, part in zip(cell.state, after, strict=True)]
    made = [use.made for use in now.uses]

    def diagonals(value_TH: Tensor, of: Sequence[Tensor]) -> list[Tensor | None]:
        return list(torch.autograd.grad(value_TH.sum(), of, retain_graph=True, allow_unused=True))

    def stacked(found: Sequence[Tensor | None], of: Sequence[Tensor]) -> np.ndarray:
        """(T, B, H): blocks behind each other, 0 where nothing depends."""
        whole = [torch.zeros_like(x) if g is None else g for x, g in zip(of, found, strict=True)]
        return torch.cat(whole, -1).reshape(count, -1, units).numpy()

    products, normed = [], {}
    for n, use in enumerate(now.uses):
        read, u_EH = use.read, None
        if use.weights is not None:
            u_EH = use.weights.detach().T.contiguous().numpy()
        part = next((first[p] for p, x in enumerate(whole) if x is read), None)
        of = [*begin, *made[:n]]
        if (leaf := next((q for q, x in leaves.items() if x is read), None)) is not None:
            normed[n] = leaf
        elif part is None:
            *found, by_drive = diagonals(read, [*of, drive])
            by_input = None if by_drive is None else stacked([by_drive], [drive])
            products.append(Product(u_EH, None, stacked(found, of), by_input, use.norm))
        else:
            products.append(Product(u_EH, part, None, None, use.norm))
    inputs, within = [], []
    of = [*begin, *(x for n, x in enumerate(made) if n not in normed)]
    each = [block for part in told for block in _split(part, units)]
    ends = [*accumulate((x.shape[-1] // units for x in of), initial=0)]
    kind, shape = a_TE.detach()[:0].numpy().dtype, (len(each), ends[-1], count, units)
    if cut:  # steps innermost but one: of blocks that stay 0 nothing is touched
        by = np.zeros(shape, kind).transpose(2, 0, 1, 3)
    else:
        by = np.zeros((count, *shape[:2], units), kind)
    for p, part_TH in enumerate(each):
        more = [*(made[n] for n in normed), *leaves.values()]
        found = diagonals(part_TH, [*of, *more, *([] if cut else [drive])])
        for (begun, end), slope in zip(pairwise(ends), found, strict=False):
            if slope is not None:
                by[:, p, begun:end] = slope.view(count, -1, units).numpy()
        if not cut:
            inputs.append(stacked(found[-1:], [drive]))
        parts = [*normed.values(), *leaves]
        norms = [*(now.uses[n].norm for n in normed), *(None for _ in leaves)]
        for q, norm, slope in zip(parts, norms, found[len(of) :], strict=False):
            if slope is not None and slope.any():
                within.append(Within(p, q, slope.numpy(), norm))
    by_input = None if cut else np.stack(inputs, 1)
    same = len(products) == 1 and products[0].part is not None
    same = same and by_input is not None and np.array_equal(by[:, :, len(begin) :], by_input)
    linear = Linear(by, None if same else by_input, tuple(products), tuple(within))
    seen = {name: now.rows[name][0] for name in cell.names if name in now.rows}
    return Steps(linear, seen, tuple(told), drive, tuple(use.read for use in now.uses))


def _stands_alone(cell: Cell, a_TE: Tensor, before: Sequence[Tensor]) -> bool:
    """Whether every unit meets others only in layer norms, and in products with recurrent weights that have one
    block of rows for each gate: tried at one step, backwards, beside autograd."""
    like = _drawn()
    a_1E, begin = like(a_TE).requires_grad_(), [like(part).requires_grad_() for part in before]
    now = InTorch(cell.names, passthrough, None)
    after = cell.step(cell.parts(), a_1E, tuple(begin), now)
    loss_g = [like(part) for part in after]
    g_1S = torch.cat(loss_g, -1)
    loss = (torch.cat(after, -1) * g_1S).sum()  # weighed here: torch's own way loads sympy
    want = torch.autograd.grad(loss, [a_1E, *begin], allow_unused=True)
    try:
        found = _steps(cell, a_1E, begin).linear.back(g_1S.view(1, 1, -1, cell.h).numpy())
    except (IndexError, RuntimeError, ValueError):  # blocks of other widths
        return False
    assert found.drive_RTE is not None
    places = np.cumsum(cell.sizes())[:-1]
    got = [found.drive_RTE[0], *np.split(found.before_RPH.reshape(1, -1), places, -1)]
    return all(
        np.allclose(0 if w is None else w.numpy(), g, rtol=1e-3, atol=1e-5)
        for w, g in zip(want, got, strict=True)
    )


def reads_by_weights(cell: Cell, a_TE: Tensor) -> bool:
    """Whether what the input adds is the input times weights, and a bias: of a layer norm it is not."""
    if (known := _by_weights.get(cell)) is None:
        like, w_ED = _drawn(), cell.matrices()[0]
        x_1D, g_1E = like(w_ED).requires_grad_(), like(a_TE)
        (g_1D,) = torch.autograd.grad((cell.drive(x_1D[None])[0] * g_1E).sum(), x_1D)
        known = torch.allclose(g_1D, g_1E @ w_ED, rtol=1e-3, atol=1e-5)
        _by_weights[cell] = known
    return known


def _drawn() -> Callable[[Tensor], Tensor]:
    """Makes rows (1, N) for tensors (.., N)."""
    drawn = torch.Generator().manual_seed(0)
    return lambda x: torch.randn(1, x.shape[-1], generator=drawn, dtype=torch.float64).to(x)
