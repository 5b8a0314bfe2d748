export const importPortableEvent = async (..._: unknown[]): Promise<never> => {
  throw new Error('later')
}
