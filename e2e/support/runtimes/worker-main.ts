import { type Given, useEverything } from './use-everything.ts'

/** The program for a runtime of workers. Reads its input from a request. */
export default {
  fetch: async (request: Request): Promise<Response> =>
    Response.json(
      await useEverything((await request.json()) as Given).catch(({ name, message, stack }: Error) => {
        return { name, message, stack }
      }),
    ),
}
