import { useEffect, useState } from 'preact/hooks'
import { useConnectionState } from './connection.ts'

/**
 * The current time, updated regularly; for relative times and countdowns. Stops while live updates do: "down for 26 min" is not
 * known to go on. `isClock`: for what shows the time itself.
 */
export function useNow(everyMs = 10_000, { isClock = false } = {}): number {
  const { isLive, since } = useConnectionState()
  const [now, setNow] = useState(() => Date.now())
  const isStopped = !isLive && !isClock
  useEffect(() => {
    if (isStopped) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs, isStopped])
  return isStopped ? since.getTime() : now
}
