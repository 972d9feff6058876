package suggest

import "testing"

func TestPriority(t *testing.T) {
	tests := []struct {
		want Priority
		text string
	}{
		{Urgent, "URGENT: production is down"},
		{Urgent, "This is urgent"},
		{Urgent, "The whole site is down, nobody can order"},
		{Urgent, "I think we were hacked, there are unknown logins"},
		{Urgent, "Nobody can log in and we are losing customers"},
		{Urgent, "We have a data breach"},
		{Urgent, "Dringend! Der Server ist ausgefallen"},
		{Urgent, "Es eilt: der Shop ist nicht erreichbar"},
		{Urgent, "C'est urgent, le site est inaccessible"},
		{Urgent, "Plus personne ne peut se connecter"},
		{Urgent, "Urgente: se cayó el sistema"},
		{Urgent, "Nadie puede entrar"},
		{Urgent, "É urgente, o sistema está fora do ar"},
		{Urgent, "Ninguém consegue entrar"},
		{High, "I was charged twice"},
		{High, "Please send it asap"},
		{High, "This blocks me, I can't work"},
		{High, "Ich wurde doppelt belastet, mir wurde zweimal abgebucht"},
		{High, "Bitte so schnell wie möglich"},
		{High, "J'ai été débité deux fois"},
		{High, "Merci de répondre au plus vite"},
		{High, "Me cobraron dos veces"},
		{High, "Lo necesito cuanto antes"},
		{High, "Fui cobrado duas vezes"},
		{High, "Preciso disso o quanto antes"},
		{Normal, "How do I invite a colleague?"},
		{Normal, "The export fails with an error"},
		{Normal, "Wie lade ich jemanden ein?"},
		{Normal, "Comment inviter un collègue ?"},
		{Normal, "¿Cómo invito a un compañero?"},
		{Normal, "Como convido um colega?"},
		{Normal, "Please reset my password today"},
		{Normal, ""},
		{Low, "No rush, whenever you have time: there is a typo on the page"},
		{Low, "Not urgent, but the logo is blurry"},
		{Low, "Low priority: cosmetic thing in the footer"},
		{Low, "Nicht dringend: Tippfehler auf der Startseite"},
		{Low, "Wenn ihr mal Zeit habt, könnt ihr den Text ändern?"},
		{Low, "Ce n'est pas urgent, il y a une coquille"},
		{Low, "Quand vous avez le temps, merci de regarder"},
		{Low, "No es urgente, hay una errata"},
		{Low, "Cuando puedan, sin prisa"},
		{Low, "Não é urgente, tem um erro de digitação"},
		{Low, "Quando puderem, sem pressa"},
	}
	for _, tt := range tests {
		got := suggestOne(tt.text).Priority
		if got.Value != tt.want {
			t.Errorf("%q is %s, want %s", tt.text, got.Value, tt.want)
		}
		if got.Source != FromRules || got.Reason != "" {
			t.Errorf("%q is answered %+v", tt.text, got)
		}
	}
}
