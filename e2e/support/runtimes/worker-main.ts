import { type Given, useEverything } from './use-everything.ts'

/** The program in a runtime of workers: reads what it is given from a request. */
export default {
  fetch: async (request: Request): Promise<Response> =>
    Response.json(
      await useEverything((await request.json()) as Given).catch(({ name, message, stack }: Error) => {
        return { name, message, stack }
      }),
    ),
}
