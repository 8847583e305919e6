import { useSignal } from '@preact/signals'
import { type ExportAccountInput, exportAccount } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { toast } from '../../app/toasts.ts'
import { text } from '../../text/text.ts'
import { Choices } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { changes } from '../jobs/job-queries.ts'
import { BucketFields, bucketOf } from './bucket-fields.tsx'

const day = 86_400
/** How long what was packed is kept, in seconds; null: until it is deleted. */
const lives = { week: 7 * day, month: 30 * day, ever: null } as const

/** Asks where an export goes, and starts it. */
export function StartDialog({ onClose }: { onClose: () => void }) {
  const t = text.value.export
  const isToBucket = useSignal(false)
  const { mutate, isPending, error } = useChange({
    changes,
    run: (wanted: ExportAccountInput) => exportAccount(client(), wanted),
    onDone() {
      onClose()
      toast(t.started)
    },
  })
  const wantedOf = (fields: FormData): ExportAccountInput =>
    isToBucket.value
      ? { target: bucketOf(fields) }
      : { filesExpireAfterSeconds: lives[fields.get('filesExpireAfterSeconds') as keyof typeof lives] }
  return (
    <FormDialog
      title={t.start}
      submit={t.start}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(fields) => mutate(wantedOf(fields))}
    >
      <Choices
        label={t.where}
        name="where"
        choices={[
          { value: 'vault', label: t.toVault, hint: t.startText },
          { value: 'bucket', label: t.toBucket, hint: t.toBucketText },
        ]}
        onChange={(where) => {
          isToBucket.value = where === 'bucket'
        }}
      />
      {isToBucket.value ? (
        <BucketFields />
      ) : (
        <SelectField
          label={t.life}
          name="filesExpireAfterSeconds"
          value="month"
          choices={Object.keys(lives).map((life) => ({ value: life, label: t.lives[life as keyof typeof lives] }))}
        />
      )}
    </FormDialog>
  )
}
