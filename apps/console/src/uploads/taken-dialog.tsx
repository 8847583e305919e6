import { useState } from 'preact/hooks'
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
  const t = text.value.uploads
  const [forAll, setForAll] = useState(false)
  const choose = (choice: Choice) => () => answer(choice, forAll)
  const cancel = () => answer(null, true)
  return (
    <Dialog title={t.takenTitle} onClose={cancel}>
      <div class="form">
        <p>{t.takenText(isolated(left[0] ?? ''))}</p>
        {left.length > 1 && (
          <label class="choice">
            <input type="checkbox" checked={forAll} onChange={(event) => setForAll(event.currentTarget.checked)} />
            <span>{t.takenForAll(left.length)}</span>
          </label>
        )}
        <p class="hint">{t.takenHint}</p>
        <div class="form-end">
          <Button onClick={cancel} text={t.takenCancel} />
          <Button onClick={choose('skip')} text={t.skip} />
          <Button onClick={choose('keep')} text={t.keepBoth} />
          <Button look="main" onClick={choose('replace')} text={t.replace} />
        </div>
      </div>
    </Dialog>
  )
}
