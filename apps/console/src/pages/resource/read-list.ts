import type { QueryKey } from '@tanstack/preact-query'
import type { Client } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import type { ListToRead } from '../../api/pages-query.ts'

export interface ListQuery<Item> {
  queryKey: QueryKey
  read: ListToRead<Item>['read']
  everyMs?: (items: readonly Item[]) => number | false
}

type List<Name extends string, Item, Input> = (
  client: Client,
  input: Input,
  options: { signal: AbortSignal },
) => { page: () => Promise<{ [name in Name]: Item[] } & { nextCursor: string | null }> }

/** Reads a list of the SDK page by page. `name` is the field of the response that contains the items. */
export const readList =
  <Name extends string, Item, Input>(
    name: Name,
    list: List<Name, Item, Input>,
    input: NoInfer<Input>,
  ): ListToRead<Item>['read'] =>
  async ({ cursor, signal }) => {
    const page = await list(client(), { ...input, cursor }, { signal }).page()
    return { items: page[name], nextCursor: page.nextCursor }
  }
