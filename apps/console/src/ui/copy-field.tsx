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

/** A text of several lines has a larger field. Pages on plain HTTP may not use the clipboard: there the text is selected for copying. */
export function CopyField({ label, value, hint, copy: verb, onCopied }: CopyFieldProps) {
  const t = text.value
  const id = useId()
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const lines = value.split('\n').length
  const Box = lines > 1 ? 'textarea' : 'input'
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
        <Box
          id={id}
          ref={input}
          class="code"
          readOnly
          autocomplete="off"
          spellcheck={false}
          value={value}
          onFocus={() => input.current?.select()}
          onCopy={onCopied}
          {...(lines > 1 && { rows: lines, wrap: 'off' })}
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
