import { describeError } from '../../../api/describe-error.ts'
import { number } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Facts } from '../../../ui/facts.tsx'
import type { KindName } from './kinds.ts'
import { type Redrive, type Redriven, tally, useRedriving, wouldBeTried } from './use-redrive.ts'

interface RedriveDialogProps {
  kind: KindName
  redriven: Redriven
  onClose: () => void
}

export function RedriveDialog({ kind, redriven, onClose }: RedriveDialogProps) {
  const { app, operator: t } = text.value
  const { redrive, error, look, start, stop } = useRedriving(kind, redriven)
  const { at } = redrive
  const wouldBe = wouldBeTried(redrive)
  return (
    <Dialog title={t.redriveTitle} onClose={onClose}>
      <p role="status">{error === null ? describe(redrive) : ''}</p>
      {at === 'asking' && wouldBe > 0 && <p class="hint">{t.redriveText}</p>}
      {at === 'running' && <progress aria-label={t.redriveTitle} />}
      {at !== 'looking' && <Outcomes redrive={redrive} />}
      <p class="form-error" role="alert">
        {error === null ? '' : describeError(error)}
      </p>
      <div class="form-end">
        <Button onClick={onClose} text={at === 'asking' ? app.cancel : app.close} />
        {at === 'looking' && error !== null && <Button onClick={look} text={app.retry} />}
        {at === 'asking' && wouldBe > 0 && <Button look="main" onClick={start} text={app.retry} />}
        {at === 'running' && <Button onClick={stop} text={app.stop} />}
      </div>
    </Dialog>
  )
}

function describe(redrive: Redrive): string {
  const t = text.value.operator
  const { tried, others } = tally(redrive)
  if (redrive.at === 'looking') return t.redriveLooking
  if (redrive.at === 'running') return t.redriveRunning(tried + others)
  if (redrive.at === 'stopped') return t.redriveStopped(tried)
  if (redrive.at === 'done') return t.redriveDone(tried, others)
  const would = wouldBeTried(redrive)
  if (would === 0) return t.redriveNothing
  return redrive.hasMore ? t.redriveWouldMore(would) : t.redriveWould(would)
}

function Outcomes({ redrive: { outcomes, stayed } }: { redrive: Redrive }) {
  const { app, operator: t } = text.value
  const nameOf = (word: string) => t.outcomes[word as keyof typeof t.outcomes] ?? word
  return (
    <>
      <Facts facts={Object.entries(outcomes).map(([word, count]) => [nameOf(word), number(count)] as const)} />
      {stayed.length > 0 && (
        <details class="fold">
          <summary>{app.outcome}</summary>
          <ul class="operator-outcomes" aria-label={app.outcome}>
            {stayed.map((one) => (
              <li key={one.id}>
                <code>{one.id}</code> {nameOf(one.outcome)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
