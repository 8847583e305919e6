import { useSignal } from '@preact/signals'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Listing } from '../../ui/listing.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useKeys } from '../keys/key-queries.ts'
import { AuditHead } from './audit-head.tsx'
import { useFileEvents } from './audit-queries.ts'
import { EventRow } from './event-row.tsx'
import { fileKinds, KindFilter } from './kind-filter.tsx'
import { TimeFilter } from './time-filter.tsx'

type Filter = Parameters<typeof useFileEvents>[0]

/** The log of files and vaults. */
export default function FileAuditPage() {
  const t = text.value.audit
  const filter = useSignal<Filter>({})
  const narrow = (more: Filter) => {
    filter.value = { ...filter.value, ...more }
  }
  return (
    <>
      <AuditHead lead={t.filesLead} />
      <div class="filters">
        <KindFilter kinds={fileKinds} value={filter.value.kind} onChange={(kind) => narrow({ kind })} />
        <TimeFilter onChange={narrow} />
        <KeyFilter value={filter.value.keyId} onChange={(keyId) => narrow({ keyId })} />
        <SubjectFilter onChange={(subjectId) => narrow({ subjectId })} />
      </div>
      <Listing label={t.title} pages={useFileEvents(filter.value)} empty={{ title: t.empty, text: t.emptyText }}>
        {(event) => <EventRow key={event.id} event={event} />}
      </Listing>
    </>
  )
}

interface FilterProps {
  value?: string | undefined
  onChange: (value: string | undefined) => void
}

function KeyFilter({ value = '', onChange }: FilterProps) {
  const t = text.value.audit
  const { items: keys, list } = useKeys(true)
  return (
    <>
      <SelectField
        label={t.key}
        value={value}
        choices={[
          { value: '', label: t.anyone },
          ...keys.map(({ id, name, keyPrefix }) => ({ value: id, label: `${name} (${keyPrefix}…)` })),
        ]}
        onChange={(keyId) => onChange(keyId || undefined)}
      />
      {list.hasNextPage && (
        <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t.moreKeys}
        </Button>
      )}
    </>
  )
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

function SubjectFilter({ onChange }: FilterProps) {
  const t = text.value.audit
  const isWrong = useSignal(false)
  return (
    <Field
      label={t.subject}
      error={isWrong.value ? t.noId : undefined}
      input={{
        autocomplete: 'off',
        spellcheck: false,
        placeholder: t.subjectHint,
        onChange(event) {
          const typed = event.currentTarget.value.trim()
          isWrong.value = typed !== '' && !uuid.test(typed)
          if (!isWrong.value) onChange(typed || undefined)
        },
      }}
    />
  )
}
