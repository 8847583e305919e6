import { useEffect, useState } from 'preact/hooks'
import { text } from '../text/text.ts'

const patienceMs = 8_000

/** Invisible for a moment; explains long waits. */
export function Spinner() {
  const t = text.value.app
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p class="spinner" role="status">
      {isLate ? t.stillLoading : t.loading}
    </p>
  )
}
