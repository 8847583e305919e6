import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { text } from '../text/text.ts'

const patienceMs = 8_000

/** Invisible for a moment, and explains long waits. */
export function Spinner() {
  const t = text.value.app
  const isLate = useSignal(false)
  useEffect(() => {
    const timer = setTimeout(() => {
      isLate.value = true
    }, patienceMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p class="spinner" role="status">
      {isLate.value ? t.stillLoading : t.loading}
    </p>
  )
}
