/** Tiles are about this much wider than high, so that names fit. */
const WIDER = 3
const SMALLEST_PX = 36
export const GAP_PX = 6

export interface TileGrid {
  readonly columns: number
  /** At least; rows grow to fill the area. */
  readonly rowPx: number
  readonly fontPx: number
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
  return { columns, rowPx, fontPx: Math.round(Math.max(12, Math.min(48, best.size * 0.26))) }
}
