/** QR codes (ISO/IEC 18004): bytes, error correction level M, versions 1 to 20, which is some 650 characters. */

const eccPerBlock = [0, 10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
const blockCounts = [0, 1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

type Grid = boolean[][]

/** Rows of dark (true) and light modules, without the quiet zone around them. */
export function qrModules(text: string): readonly (readonly boolean[])[] {
  const bytes = [...new TextEncoder().encode(text)]
  const version = blockCounts.findIndex((_, v) => v > 0 && bytes.length <= capacity(v))
  if (version === -1) throw new Error('Too long for a QR code')
  const stream = interleave(dataCodewords(bytes, version), version)
  const candidates = masks.map((_, mask) => draw(stream, version, mask))
  return candidates.reduce((best, next) => (penalty(next) < penalty(best) ? next : best))
}

function rawCodewords(version: number): number {
  const aligned = Math.floor(version / 7) + 2
  const marks = version === 1 ? 0 : (25 * aligned - 10) * aligned - 55 + (version >= 7 ? 36 : 0)
  return Math.floor(((16 * version + 128) * version + 64 - marks) / 8)
}

function dataCount(version: number): number {
  return rawCodewords(version) - (eccPerBlock[version] as number) * (blockCounts[version] as number)
}

/** Less the mode and the length, which take four bits and one or two bytes. */
function capacity(version: number): number {
  return dataCount(version) - (version < 10 ? 2 : 3)
}

function dataCodewords(bytes: readonly number[], version: number): number[] {
  const bits: number[] = []
  const push = (value: number, length: number) => {
    for (let i = length - 1; i >= 0; i--) bits.push((value >>> i) & 1)
  }
  push(0b0100, 4)
  push(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) push(byte, 8)
  const room = dataCount(version) * 8
  push(0, Math.min(4, room - bits.length))
  push(0, (8 - (bits.length % 8)) % 8)
  for (let pad = 0xec; bits.length < room; pad ^= 0xec ^ 0x11) push(pad, 8)
  return Array.from({ length: room / 8 }, (_, i) => Number.parseInt(bits.slice(i * 8, i * 8 + 8).join(''), 2))
}

/** Blocks with their error correction, taken in turns. The later blocks are one byte longer where it does not divide. */
function interleave(data: readonly number[], version: number): number[] {
  const [count, ecc] = [blockCounts[version] as number, eccPerBlock[version] as number]
  const short = Math.floor(data.length / count)
  const firstLong = count - (data.length % count)
  const starts = Array.from({ length: count + 1 }, (_, i) => i * short + Math.max(0, i - firstLong))
  const blocks = Array.from({ length: count }, (_, i) => data.slice(starts[i], starts[i + 1]))
  const checks = blocks.map((block) => remainder(block, generator(ecc)))
  const turns = (rows: readonly (readonly number[])[], length: number) =>
    Array.from({ length }, (_, i) => rows.flatMap((row) => (i < row.length ? [row[i] as number] : []))).flat()
  return [...turns(blocks, short + 1), ...turns(checks, ecc)]
}

/** In the field of 256 elements that QR codes use. */
function multiply(x: number, y: number): number {
  let z = 0
  for (let i = 7; i >= 0; i--) z = (z << 1) ^ ((z >>> 7) * 0x11d) ^ (((y >>> i) & 1) * x)
  return z
}

function generator(degree: number): number[] {
  const result = [...Array<number>(degree - 1).fill(0), 1]
  let root = 1
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++) result[j] = multiply(result[j] as number, root) ^ (result[j + 1] ?? 0)
    root = multiply(root, 2)
  }
  return result
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  const result = divisor.map(() => 0)
  for (const byte of data) {
    const factor = byte ^ (result.shift() as number)
    result.push(0)
    divisor.forEach((coefficient, i) => {
      result[i] = (result[i] as number) ^ multiply(coefficient, factor)
    })
  }
  return result
}

const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

function draw(stream: readonly number[], version: number, mask: number): Grid {
  const size = version * 4 + 17
  const grid: (boolean | undefined)[][] = Array.from({ length: size }, () => Array(size).fill(undefined))
  const set = (x: number, y: number, dark: boolean) => {
    if (x >= 0 && y >= 0 && x < size && y < size) (grid[y] as boolean[])[x] = dark
  }
  const square = (cx: number, cy: number, reach: number, isDark: (distance: number) => boolean) => {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) set(cx + dx, cy + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))))
    }
  }
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0)
    set(i, 6, i % 2 === 0)
  }
  const places = alignments(version, size)
  const isCorner = (x: number, y: number) => (x === 6 && (y === 6 || y === size - 7)) || (x === size - 7 && y === 6)
  for (const y of places) {
    for (const x of places) if (!isCorner(x, y)) square(x, y, 2, (distance) => distance !== 1)
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(x, y, 4, (distance) => distance !== 2 && distance !== 4)
  drawFormat(set, size, mask)
  if (version >= 7) drawVersion(set, size, version)
  fill(grid, stream, mask)
  return grid as Grid
}

function alignments(version: number, size: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2
  return [6, ...Array.from({ length: count - 1 }, (_, i) => size - 7 - (count - 2 - i) * step)]
}

type Set = (x: number, y: number, dark: boolean) => void

/** The level (0 is M) and the mask, twice, with ten bits that protect them. */
function drawFormat(set: Set, size: number, mask: number): void {
  let rest = mask
  for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537)
  const bits = ((mask << 10) | rest) ^ 0x5412
  for (let i = 0; i < 15; i++) {
    const dark = ((bits >>> i) & 1) === 1
    set(8, i < 6 ? i : i < 8 ? i + 1 : size - 15 + i, dark)
    set(i < 8 ? size - 1 - i : i === 8 ? 7 : 14 - i, 8, dark)
  }
  set(8, size - 8, true)
}

function drawVersion(set: Set, size: number, version: number): void {
  let rest = version
  for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25)
  const bits = (version << 12) | rest
  for (let i = 0; i < 18; i++) {
    const [long, short] = [Math.floor(i / 3), size - 11 + (i % 3)]
    set(short, long, ((bits >>> i) & 1) === 1)
    set(long, short, ((bits >>> i) & 1) === 1)
  }
}

/** Zigzag in pairs of columns from the lower right, past what is drawn already. */
function fill(grid: (boolean | undefined)[][], stream: readonly number[], mask: number): void {
  const size = grid.length
  const isMasked = masks[mask] as (x: number, y: number) => boolean
  let bit = 0
  for (let right = size - 1; right >= 1; right = right === 8 ? 5 : right - 2) {
    for (let step = 0; step < size * 2; step++) {
      const x = right - (step % 2)
      const isUpward = ((right + 1) & 2) === 0
      const y = isUpward ? size - 1 - (step >> 1) : step >> 1
      const row = grid[y] as (boolean | undefined)[]
      if (row[x] !== undefined) continue
      row[x] = ((((stream[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1) !== isMasked(x, y)
      bit += 1
    }
  }
}

/** How hard it is to read: long runs, squares of one shade, and more of one shade than of the other. */
function penalty(grid: Grid): number {
  const size = grid.length
  const at = (x: number, y: number) => grid[y]?.[x]
  let [points, dark] = [0, 0]
  for (let y = 0; y < size; y++) {
    for (let x = 0, across = 0, down = 0; x < size; x++) {
      across = at(x, y) === at(x - 1, y) ? across + 1 : 1
      down = at(y, x) === at(y, x - 1) ? down + 1 : 1
      points += (across === 5 ? 3 : across > 5 ? 1 : 0) + (down === 5 ? 3 : down > 5 ? 1 : 0)
      if ([at(x + 1, y), at(x, y + 1), at(x + 1, y + 1)].every((other) => other === at(x, y))) points += 3
      if (at(x, y)) dark += 1
    }
  }
  return points + Math.floor(Math.abs(dark / size ** 2 - 0.5) * 20) * 10
}
