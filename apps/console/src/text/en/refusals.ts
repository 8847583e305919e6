import type { KnownError } from '@tideport/sdk'

export interface Refusal {
  /** The message of the service, in English. */
  sentence: string
  /** The details, with sizes and numbers formatted for display. */
  details: Readonly<Partial<Record<string, string>>>
}

export type RefusalText = string | ((refusal: Refusal) => string)

/** An error code of the API or of a failed job. */
export type RefusalCode = KnownError['code'] | 'bucket_failed'

interface Refusals {
  /** `other` shows a code without a text. */
  codes: Partial<Record<RefusalCode, RefusalText>>
  /** The rule of a field, by its name in the API. `other` shows a field without a text. */
  fields: Readonly<Record<string, string>>
  other: (refusal: Pick<Refusal, 'sentence'>) => string
}

const invalid = 'Some values are not valid'

/** Most refusals show the message of the service, which is in English. */
export const enRefusals: Refusals = {
  codes: {
    validation_failed: ({ sentence, details }) => (details.issues === undefined ? sentence : invalid),
    path_too_long: 'The name or path is too long',
    vault_not_empty: 'The vault contains files. Delete them first',
  },
  fields: { events: 'Select at least one event' },
  other: ({ sentence }) => sentence,
}
