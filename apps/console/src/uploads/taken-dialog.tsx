import { useSignal } from '@preact/signals'
import { text } from '../text/text.ts'
import { isolated } from '../text/visible.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { type Choice, question } from './ask-about-taken.ts'

export function TakenDialog() {
  const { value } = question
  return value === null ? null : <Taken key={value.left.length} {...value} />
}

function Taken({ left, answer }: NonNullable<typeof question.value>) {
  const { app, uploads: t } = text.value
  const forAll = useSignal(false)
  const choose = (choice: Choice) => () => answer(choice, forAll.value)
  const cancel = () => answer(null, true)
  return (
    <Dialog title={t.takenTitle} onClose={cancel}>
      <div class="form">
        <p>{t.takenText(isolated(left[0] ?? ''))}</p>
        {left.length > 1 && (
          <label class="choice">
            <input
              type="checkbox"
              checked={forAll.value}
              onChange={(event) => {
                forAll.value = event.currentTarget.checked
              }}
            />
            <span>{t.takenForAll(left.length)}</span>
          </label>
        )}
        <p class="hint">{t.takenHint}</p>
        <div class="form-end">
          <Button onClick={cancel}>{t.takenCancel}</Button>
          <Button onClick={choose('skip')}>{t.skip}</Button>
          <Button onClick={choose('keep')}>{t.keepBoth}</Button>
          <Button look="main" onClick={choose('replace')}>
            {app.replace}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
