import { useQuery } from '@tanstack/preact-query'
import { readOperatorNetworks } from '@tideport/sdk'
import { client } from '../../../api/client.ts'

export type NetworksAnswer = Awaited<ReturnType<typeof readOperatorNetworks>>

const watchMs = 10_000

/** Each of them is asked anew. */
export const useNetworks = ({ isWatched }: { isWatched: boolean }) =>
  useQuery({
    queryKey: ['operator', 'networks'],
    queryFn: ({ signal }) => readOperatorNetworks(client(), {}, { signal }),
    refetchInterval: isWatched ? watchMs : false,
  })
