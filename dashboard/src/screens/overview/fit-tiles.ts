/** Tiles are about this much wider than high, so that names fit. */
const WIDER = 3
const SMALLEST_PX = 36
export const GAP_PX = 6

export interface TileGrid {
  readonly columns: number
  readonly columnPx: number
  /** At least; rows grow to fill the area. */
  readonly rowPx: number
  readonly fontPx: number
}

/** Average width of a letter, as a part of the font size. */
const LETTER = 0.56
const LINE = 1.25
/** Of the tile: its shape and paddings; its second line. */
const BESIDE_EM = 2.6
const BELOW_EM = 1
const SMALLEST_FONT_PX = 11

/** The font size at which a name fits its tile; longer names get smaller letters and more lines. */
export function tileFontPx(name: string, { columnPx, rowPx, fontPx }: TileGrid): number {
  for (let px = fontPx; px > SMALLEST_FONT_PX; px -= 1) {
    const perLine = Math.floor((columnPx / px - BESIDE_EM) / LETTER)
    const isWordTooLong = name.split(/\s/).some((word) => word.length > perLine)
    const lines = Math.ceil((name.length * 1.15) / Math.max(1, perLine))
    const fits = name.length <= perLine || (!isWordTooLong && (lines * LINE + BELOW_EM) * px <= rowPx)
    if (fits) return px
  }
  return SMALLEST_FONT_PX
}

/** The number of columns that makes equal tiles as large as an area allows. Too many tiles make it scroll. */
export function fitTiles(count: number, widthPx: number, heightPx: number): TileGrid {
  let best = { columns: 1, size: 0 }
  for (let columns = 1; columns <= Math.max(1, count); columns += 1) {
    const rows = Math.ceil(count / columns)
    const size = Math.min(widthPx / columns / WIDER, heightPx / rows)
    if (size > best.size) best = { columns, size }
  }
  const narrowest = SMALLEST_PX * WIDER
  const most = Math.max(1, Math.floor(widthPx / narrowest))
  const columns = best.size < SMALLEST_PX + GAP_PX ? most : Math.min(best.columns, most)
  const rowPx = Math.max(SMALLEST_PX, Math.floor(best.size) - GAP_PX)
  return {
    columns,
    columnPx: Math.floor(widthPx / columns) - GAP_PX,
    rowPx,
    fontPx: Math.round(Math.max(12, Math.min(48, best.size * 0.26))),
  }
}
