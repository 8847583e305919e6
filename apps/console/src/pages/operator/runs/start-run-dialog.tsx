import { useSignal } from '@preact/signals'
import type { StartRunInput } from '@tideport/sdk'
import { useId } from 'preact/hooks'
import { text } from '../../../text/text.ts'
import { Choices, Field } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { SelectField } from '../../../ui/select-field.tsx'
import { useNetworks } from '../overview/overview-queries.ts'
import { type RunKind, useStartRun } from './run-queries.ts'

const kinds: readonly RunKind[] = ['reconcile', 'verify']
const uuidPattern = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

/** A run with its options; a dry run unless one says otherwise. */
export function StartRunDialog({ onClose }: { onClose: () => void }) {
  const t = text.value.operator
  const hintId = useId()
  const kind = useSignal<RunKind>('reconcile')
  const isDry = useSignal(true)
  const { mutate, isPending, error } = useStartRun(onClose)
  const isRepair = !isDry.value && kind.value === 'reconcile'
  return (
    <FormDialog
      title={t.startTitle}
      submit={isDry.value ? t.startDry : isRepair ? t.startRepair : t.startReal}
      danger={isRepair}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(fields) => mutate(readRun(fields))}
    >
      <Choices
        label={t.what}
        name="kind"
        choices={kinds.map((value) => ({ value, label: t.runNames[value], hint: t.runHints[value] }))}
        onChange={(value) => {
          kind.value = value as RunKind
        }}
      />
      {kind.value === 'reconcile' ? (
        <Field
          label={t.after}
          hint={t.afterHint}
          input={{ name: 'after', pattern: uuidPattern, title: t.afterHint, autocomplete: 'off', spellcheck: false }}
        />
      ) : (
        <VerifyFields />
      )}
      <div>
        <label class="check">
          <input
            type="checkbox"
            name="dry"
            checked={isDry.value}
            aria-describedby={hintId}
            onChange={(event) => {
              isDry.value = event.currentTarget.checked
            }}
          />
          <span>{t.dryRun}</span>
        </label>
        <p class="hint" id={hintId}>
          {t.dryRunHints[kind.value]}
        </p>
      </div>
    </FormDialog>
  )
}

function VerifyFields() {
  const t = text.value.operator
  const { data } = useNetworks({ isWatched: false })
  const networks = (data?.networks ?? []).filter(({ role }) => role !== null)
  return (
    <>
      <Field
        label={t.sample}
        hint={t.sampleHint}
        input={{ name: 'sample', type: 'number', min: 1, max: 1_000_000, step: 1, inputMode: 'numeric' }}
      />
      <SelectField
        label={t.onNetwork}
        name="network"
        value=""
        choices={[{ value: '', label: t.allNetworks }, ...networks.map(({ name }) => ({ value: name, label: name }))]}
      />
    </>
  )
}

/** The run that somebody described; what was left empty is not asked for. */
function readRun(fields: FormData): StartRunInput {
  const given = (name: string) => String(fields.get(name) ?? '').trim() || undefined
  const sample = given('sample')
  return {
    kind: fields.get('kind') === 'verify' ? 'verify' : 'reconcile',
    dryRun: fields.has('dry'),
    after: given('after'),
    sample: sample === undefined ? undefined : Number(sample),
    network: given('network'),
  }
}
