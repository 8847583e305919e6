import { z } from 'zod'
import { verb } from '../endpoint/verb.ts'
import { uuid } from '../public/id.ts'

/** What a key and those it comes from may move in a day together: a budget for each that has a limit. */
const byteBudgets = z.array(z.object({ id: uuid, bytesPerDay: z.int().positive() }))
export type ByteBudgets = z.infer<typeof byteBudgets>

/** Limits of a key as services look at them. Its addresses are the gateway's alone. Null: no limit. */
export const heldLimits = z.object({
  vaultIds: z.array(uuid).nullable(),
  prefixes: z.array(z.string()).nullish(),
  verbs: z.array(verb).nullable(),
  budgets: byteBudgets,
})
export type HeldLimits = z.infer<typeof heldLimits>
