import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { text } from '../text/text.ts'

/** By then people wonder; what is asked for is given up minutes later. */
const patienceMs = 8_000

/** Something is on its way; it shows itself only if that takes a moment, and says so if it takes long. */
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
