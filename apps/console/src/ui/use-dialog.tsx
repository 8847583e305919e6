import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { FormDialog, type FormDialogProps } from './form-dialog.tsx'

export type Form<Answer> = Omit<FormDialogProps<Answer>, 'onClose'>
/** A form, or what renders a dialog with a state of its own. */
export type Asked<Answer = unknown> = Form<Answer> | ((close: () => void) => VNode)
export type Ask = <Answer>(asked: Asked<Answer>) => void

/** The dialog of a page: `ask` opens one, `dialog` is what the page renders behind everything else. */
export function useDialog(): { dialog: VNode; ask: Ask } {
  const [asked, setAsked] = useState<ShownProps['asked']>(null)
  return {
    dialog: <Shown asked={asked} close={() => setAsked(null)} />,
    ask(next) {
      const formOf = (close: () => void) =>
        typeof next === 'function' ? next(close) : <FormDialog {...next} onClose={close} />
      setAsked(() => formOf)
    },
  }
}

interface ShownProps {
  asked: ((close: () => void) => VNode) | null
  close: () => void
}

/** Stays when a dialog closes: Preact then removes the row that the dialog was about first, and the dialog sees that. */
function Shown({ asked, close }: ShownProps) {
  return asked?.(close) ?? null
}
