import { Alert, Button, Group, Input, Modal, NumberInput, Select, Stack, Switch, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Problem, sentence } from "../../../api/client";
import { type FieldOption, type FieldOwner, type FieldType, givenOptions, makeCustomField } from "../../../data/customFields";
import { tell } from "../../../tell";
import { Options } from "./Options";
import { offersOptions, optionProblem, owners, typeChoices, types } from "./words";

/** The form for a new field. */
export function MakeField({ opened, close, of }: { opened: boolean; close: () => void; of: FieldOwner }) {
  return (
    <Modal opened={opened} onClose={close} title={`New ${owners[of].one} field`} size="lg">
      <Form close={close} of={of} />
    </Modal>
  );
}

function Form({ close, of }: { close: () => void; of: FieldOwner }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [type, setType] = useState<FieldType>("select");
  const [options, setOptions] = useState<FieldOption[]>([]);
  const [length, setLength] = useState<number | string>(255);
  const [singleLine, setSingleLine] = useState(true);
  const make = useMutation({
    mutationFn: () =>
      makeCustomField({
        name: name.trim(),
        type,
        entity_type: of,
        ...(description.trim() && { description: description.trim() }),
        ...(offersOptions(type) && { config: { options: givenOptions(options) } }),
        ...(type === "text" && { config: { max_length: Number(length), single_line: singleLine } }),
      }),
    onSuccess: (field) => {
      tell(`${field.name} created.`);
      close();
    },
  });
  const fields = make.error instanceof Problem ? make.error.fields : {};
  const wrong = offersOptions(type) ? optionProblem(options) : null;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (wrong === null) make.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {make.isError && !fields.name && (
          <Alert color="red" variant="light" role="alert">
            {sentence(make.error)}
          </Alert>
        )}
        <TextInput label="Name" placeholder="Product" required withAsterisk={false} maxLength={200} data-autofocus value={name} onChange={(e) => setName(e.currentTarget.value)} error={fields.name} />
        <TextInput label="Description" description="Shown next to the field." maxLength={1000} value={description} onChange={(e) => setDescription(e.currentTarget.value)} />
        <Select label="Type" description={`${types[type].about} You cannot change this later.`} data={typeChoices} allowDeselect={false} value={type} onChange={(t) => t && setType(t as FieldType)} />
        {offersOptions(type) && (
          <Input.Wrapper label="Options" labelElement="div" description="Listed in this order." error={wrong}>
            <Options options={options} change={setOptions} />
          </Input.Wrapper>
        )}
        {type === "text" && (
          <>
            <NumberInput label="Maximum length" min={1} max={3000} allowDecimal={false} required withAsterisk={false} value={length} onChange={setLength} maw={240} />
            <Switch label="Single line" checked={singleLine} onChange={(e) => setSingleLine(e.currentTarget.checked)} />
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending} disabled={wrong !== null}>
            Create field
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
