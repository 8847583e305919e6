import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { FormDialog, type FormDialogProps } from './form-dialog.tsx'

export type Form<Answer> = Omit<FormDialogProps<Answer>, 'onClose'>
/** A form, or a function that renders a stateful dialog. */
export type Asked<Answer = unknown> = Form<Answer> | ((close: () => void) => VNode)
export type Ask = <Answer>(asked: Asked<Answer>, onClosed?: () => void) => void

/** `ask` opens a dialog. Render `dialog` after everything else. */
export function useDialog(): { dialog: VNode; ask: Ask } {
  const [asked, setAsked] = useState<ShownProps['asked']>(null)
  return {
    dialog: <Shown asked={asked} />,
    ask(next, onClosed) {
      const close = () => {
        setAsked(null)
        onClosed?.()
      }
      setAsked(() => () => (typeof next === 'function' ? next(close) : <FormDialog {...next} onClose={close} />))
    },
  }
}

type ShownProps = { asked: (() => VNode) | null }

/** Stays mounted when a dialog closes: Preact then removes the row first, and the dialog notices. */
function Shown({ asked }: ShownProps) {
  return asked?.() ?? null
}
