import { useSignal } from '@preact/signals'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'

// Where the page may not write there, which a plain HTTP address forbids, there is no button.
const canCopy = () => 'clipboard' in navigator

/** Puts a value on the clipboard, and says so for a moment. */
export function CopyButton({ what, value }: { what: string; value: string }) {
  const t = text.value.app
  const done = useSignal(false)
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    done.value = true
    setTimeout(() => {
      done.value = false
    }, 2_000)
  }
  if (!canCopy()) return null
  return (
    <Button class="file-copy-button" label={`${done.value ? t.copied : t.copy}: ${what}`} onClick={() => void copy()}>
      <span role="status">{done.value ? t.copied : t.copy}</span>
    </Button>
  )
}
