import type { KnownError } from '@tideport/sdk'

export interface Refusal {
  /** The sentence of the service, in English. */
  sentence: string
  /** Its details as they are shown: sizes and numbers are formatted. */
  details: Readonly<Partial<Record<string, string>>>
}

export type RefusalText = string | ((refusal: Refusal) => string)

/** An error code of the API, or of a job that failed. */
export type RefusalCode = KnownError['code'] | 'bucket_failed'

interface Refusals {
  /** A code without a text is shown by `other`. */
  codes: Partial<Record<RefusalCode, RefusalText>>
  /** The rule of a field, by its name in the API. A field without a text is shown by `other`. */
  fields: Readonly<Record<string, string>>
  other: (refusal: Pick<Refusal, 'sentence'>) => string
}

const invalid = 'Something that was entered is not right'

/** Most refusals are shown by the sentence of the service, which is in English. */
export const enRefusals: Refusals = {
  codes: {
    validation_failed: ({ sentence, details }) => (details.issues === undefined ? sentence : invalid),
    path_too_long: invalid,
    vault_not_empty: 'The vault holds files; delete them first',
  },
  fields: { events: 'At least one is needed' },
  other: ({ sentence }) => sentence,
}
