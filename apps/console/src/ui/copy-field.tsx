import { useSignal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'
import { text } from '../text/text.ts'
import { Button } from './button.tsx'

interface CopyFieldProps {
  label: string
  value: string
  hint?: string
  copy?: string
  onCopied?: () => void
}

/** Pages on plain HTTP may not use the clipboard: there the text is selected for copying. */
export function CopyField({ label, value, hint, copy: verb, onCopied }: CopyFieldProps) {
  const t = text.value
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const outcome = useSignal('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      outcome.value = t.app.copied
      onCopied?.()
    } catch {
      // Firefox selects without focusing, and then copies nothing.
      input.current?.focus()
      input.current?.select()
      outcome.value = t.lists.copyByHand
    }
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="copy">
        <input
          id={id}
          ref={input}
          class="code"
          readOnly
          autocomplete="off"
          spellcheck={false}
          value={value}
          onFocus={(event) => event.currentTarget.select()}
          onCopy={onCopied}
        />
        <Button look="main" onClick={() => void copy()} text={verb ?? t.app.copy} />
      </div>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <p class="hint" role="status">
        {outcome.value}
      </p>
    </div>
  )
}
