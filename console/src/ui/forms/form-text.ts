export type FormEvent = SubmitEvent & { currentTarget: HTMLFormElement }

/** The value of a form's field, without surrounding spaces. */
export const textIn = (given: FormData, name: string): string =>
  String(given.get(name) ?? '').trim()
