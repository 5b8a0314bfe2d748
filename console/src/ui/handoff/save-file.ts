/** Has the browser save bytes as a file. */
export function saveFile(bytes: Uint8Array<ArrayBuffer>, file: string): void {
  const address = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = address
  link.download = file
  link.click()
  URL.revokeObjectURL(address)
}
