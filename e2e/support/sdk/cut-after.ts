/** The first bytes of a response; then the connection breaks. */
export function cutAfter(response: Response, size: number): Response {
  let left = size
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) controller.error(new TypeError('terminated'))
    },
  })
  return new Response((response.body as ReadableStream<Uint8Array>).pipeThrough(cut), response)
}
