import { t } from "@lingui/core/macro";
import { Input, NumberInput, Select, Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import { type FieldOption, type FieldOwner, type FieldType, givenOptions, makeCustomField } from "../../../data/customFields";
import { Dialog } from "../../../parts/Dialog";
import { DialogForm } from "../../../parts/DialogForm";
import { tell } from "../../../tell";
import { Options } from "./Options";
import { offersOptions, optionProblem, owners, typeChoices, types } from "./words";

/** The form for a new field. */
export function MakeField({ opened, close, of }: { opened: boolean; close: () => void; of: FieldOwner }) {
  return (
    <Dialog opened={opened} onClose={close} title={owners()[of].make} size="lg">
      <Form close={close} of={of} />
    </Dialog>
  );
}

function Form({ close, of }: { close: () => void; of: FieldOwner }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [type, setType] = useState<FieldType>("select");
  const [options, setOptions] = useState<FieldOption[]>([]);
  const [length, setLength] = useState<number | string>(255);
  const [singleLine, setSingleLine] = useState(true);
  const make = () =>
    makeCustomField({
      name: name.trim(),
      type,
      entity_type: of,
      ...(description.trim() && { description: description.trim() }),
      ...(offersOptions(type) && { config: { options: givenOptions(options) } }),
      ...(type === "text" && { config: { max_length: Number(length), single_line: singleLine } }),
    });
  const done = ({ name }: { name: string }) => {
    tell(t`${name} created.`);
    close();
  };
  const badOptions = offersOptions(type) ? optionProblem(options) : null;
  return (
    <DialogForm send={make} done={done} close={close} yes={t`Create field`} ready={badOptions === null}>
      {(wrong) => (
        <>
          <TextInput
            label={t`Name`}
            placeholder={t`Product`}
            required
            withAsterisk={false}
            maxLength={200}
            data-autofocus
            value={name}
            onChange={(e) => setName(e.currentTarget.value)}
            error={wrong("name")}
          />
          <TextInput label={t`Description`} description={t`Shown next to the field.`} maxLength={1000} value={description} onChange={(e) => setDescription(e.currentTarget.value)} />
          <Select
            label={t`Type`}
            description={`${types()[type].about} ${t`You cannot change this later.`}`}
            data={typeChoices()}
            allowDeselect={false}
            value={type}
            onChange={(chosen) => chosen && setType(chosen as FieldType)}
          />
          {offersOptions(type) && (
            <Input.Wrapper label={t`Options`} labelElement="div" description={t`Listed in this order.`} error={badOptions}>
              <Options options={options} change={setOptions} />
            </Input.Wrapper>
          )}
          {type === "text" && (
            <>
              <NumberInput label={t`Maximum length`} min={1} max={3000} allowDecimal={false} required withAsterisk={false} value={length} onChange={setLength} maw={240} />
              <Switch label={t`Single line`} checked={singleLine} onChange={(e) => setSingleLine(e.currentTarget.checked)} />
            </>
          )}
        </>
      )}
    </DialogForm>
  );
}
