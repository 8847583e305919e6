import { text } from '../text/text.ts'

/** Something is on its way; it shows itself only if that takes a moment. */
export function Spinner() {
  return (
    <p class="spinner" role="status">
      {text.value.app.loading}
    </p>
  )
}
