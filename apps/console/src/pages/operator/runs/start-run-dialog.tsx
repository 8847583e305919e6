import { type OperatorRun, type StartRunInput, startRun } from '@tideport/sdk'
import { useId, useState } from 'preact/hooks'
import { client } from '../../../api/client.ts'
import { toast } from '../../../api/toasts.ts'
import { text } from '../../../text/text.ts'
import { asChoices, Tick } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { type FormField, numberIn, typedIn } from '../../../ui/form-fields.tsx'
import { useNetworks } from '../overview/overview-queries.ts'

export const changes = ['operator', 'runs'] as const

type RunKind = OperatorRun['kind']
const kinds: readonly RunKind[] = ['reconcile', 'verify']
const uuidPattern = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

export function StartRunDialog({ onClose }: { onClose: () => void }) {
  const t = text.value.operator
  const hintId = useId()
  const [kind, setKind] = useState<string>('reconcile')
  const [isDry, setDry] = useState(true)
  const isReconcile = kind === 'reconcile'
  const isRepair = !isDry && isReconcile
  const verifyFields = useVerifyFields()
  const choices = kinds.map((value) => ({ value, label: t.runNames[value], hint: t.runHints[value] }))
  const after = { label: t.after, hint: t.afterHint, pattern: uuidPattern, title: t.afterHint, spellcheck: false }
  return (
    <FormDialog
      title={t.start}
      submit={isDry ? t.startDry : isRepair ? t.startRepair : t.startReal}
      danger={isRepair}
      fields={[
        { kind: 'choices', name: 'kind', label: t.what, choices, onChange: setKind },
        ...(isReconcile ? [{ name: 'after', ...after }] : verifyFields),
      ]}
      run={(fields) => startRun(client(), readRun(fields))}
      changes={changes}
      onDone={(run) => toast(t.started(t.runNames[run.kind]))}
      onClose={onClose}
    >
      <div>
        <Tick
          label={t.dryRun}
          name="dry"
          checked={isDry}
          aria-describedby={hintId}
          onChange={(event) => setDry(event.currentTarget.checked)}
        />
        <p class="hint" id={hintId}>
          {t.dryRunHints[isReconcile ? 'reconcile' : 'verify']}
        </p>
      </div>
    </FormDialog>
  )
}

function useVerifyFields(): FormField[] {
  const t = text.value.operator
  const { data } = useNetworks({ isWatched: false })
  const networks = (data?.networks ?? []).filter(({ role }) => role !== null).map(({ name }) => name)
  const choices = [{ value: '', label: t.allNetworks }, ...asChoices(networks)]
  const count = { type: 'number', min: 1, max: 1_000_000, step: 1, inputMode: 'numeric' } as const
  return [
    { name: 'sample', label: t.sample, hint: t.sampleHint, ...count },
    { kind: 'select', name: 'network', label: t.onNetwork, value: '', choices },
  ]
}

function readRun(fields: FormData): StartRunInput {
  return {
    kind: fields.get('kind') === 'verify' ? 'verify' : 'reconcile',
    dryRun: fields.has('dry'),
    after: typedIn(fields, 'after') || undefined,
    sample: numberIn(fields, 'sample') ?? undefined,
    network: typedIn(fields, 'network') || undefined,
  }
}
