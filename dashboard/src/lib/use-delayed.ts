import { useEffect, useState } from 'preact/hooks'

/** The value once it has not changed for a moment: one request per word that is typed, not per letter. */
export function useDelayed(value: string, ms: number): string {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return delayed
}
