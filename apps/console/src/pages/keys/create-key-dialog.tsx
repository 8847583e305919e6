import { useSignal } from '@preact/signals'
import { text } from '../../text/text.ts'
import { Checks } from '../../ui/checks.tsx'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import type { OnCreated } from './key-dialogs.tsx'
import { type NewKey, readNewKey, scopes } from './key-form.ts'
import { KeyLimitFields } from './key-limit-fields.tsx'
import { useCreateKey } from './key-queries.ts'

export function CreateKeyDialog({ onCreated, onClose }: { onCreated: OnCreated; onClose: () => void }) {
  const t = text.value.keys
  const wasOpened = useSignal(false)
  const { mutate, isPending, error } = useCreateKey(onCreated)
  return (
    <FormDialog
      title={t.createTitle}
      submit={t.create}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(fields) => mutate(readNewKey(fields) satisfies NewKey)}
    >
      <Field
        label={t.name}
        hint={t.nameHint}
        input={{ name: 'name', required: true, maxLength: 100, autocomplete: 'off' }}
      />
      <Field
        label={t.days}
        hint={t.daysHint}
        input={{ name: 'expiresInDays', type: 'number', min: 1, max: 3650, step: 1, inputMode: 'numeric' }}
      />
      <Checks
        label={t.scopes}
        hint={t.scopesHint}
        name="scopes"
        choices={scopes.map((scope) => ({ value: scope, label: scope }))}
      />
      <details
        class="fold"
        onToggle={(event) => {
          // What was chosen holds when it is folded again.
          if (event.currentTarget.open) wasOpened.value = true
        }}
      >
        <summary>{t.limits}</summary>
        <div class="fold-body">{wasOpened.value && <KeyLimitFields />}</div>
      </details>
    </FormDialog>
  )
}
