import { FormDialog } from './form-dialog.tsx'

interface ConfirmDialogProps<Input> {
  title: string
  /** What follows from it. */
  text: string
  /** What the button that does it says. */
  submit: string
  change: { mutate: (input: Input) => void; isPending: boolean; error: unknown }
  input: Input
  onClose: () => void
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog<Input>({ title, text, submit, change, input, onClose }: ConfirmDialogProps<Input>) {
  return (
    <FormDialog
      title={title}
      submit={submit}
      danger
      busy={change.isPending}
      error={change.error}
      onClose={onClose}
      onSubmit={() => change.mutate(input)}
    >
      <p>{text}</p>
    </FormDialog>
  )
}
