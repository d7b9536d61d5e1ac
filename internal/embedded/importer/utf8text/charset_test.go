package utf8text

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	utf16 "golang.org/x/text/encoding/unicode"
)

func TestTextsInOtherCharsetsAreRead(t *testing.T) {
	tests := []struct {
		charset encoding.Encoding
		text    string
	}{
		{charmap.Windows1252, "Begünstigter;Überweisung für Müller;Straße – 5 €"},
		{charmap.Windows1252, "Père Noël, cœur, ça va? où être naïf"},
		{charmap.Windows1252, "città più perché è così però"},
		{charmap.Windows1252, "São João, pão, ações, três, você, à noite"},
		{charmap.Windows1252, "¿Qué? El niño pingüino está aquí"},
		{charmap.Windows1252, "Blåbær på øya, så gøy"},
		{charmap.Windows1252, "Det är på ön över ån"},
		{charmap.Windows1252, "Þórður fór á fjöll með ýsu"},
		{charmap.Windows1252, "Zoë en Daniël zijn één"},
		{charmap.Windows1252, "5 m³ à 12 °C"},
		{charmap.Windows1252, "Dvořák"[:3] + "é"},
		{charmap.Windows1250, "Zażółć gęślą jaźń; złoty; płatność kartą"},
		{charmap.Windows1250, "Příliš žluťoučký kůň úpěl ďábelské ódy"},
		{charmap.Windows1250, "Árvíztűrő tükörfúrógép, összeg, előző"},
		{charmap.Windows1250, "Plata în numerar, ţară, oraş, mâine, bună"},
		{charmap.Windows1250, "Čaša, ćuk, šuma, žaba, đak"},
		{charmap.Windows1254, "Ödeme alındı, işlem ücreti, değişiklik, İstanbul"},
		{charmap.Windows1251, "Перевод от Ивана; Кофейня"},
		{charmap.Windows1251, "Переказ від Івана; їжа та її ціна"},
		{charmap.KOI8R, "Перевод от Ивана; Кофейня на углу"},
		{japanese.ShiftJIS, "利用日,利用店名,金額\nセブンイレブン,東京電力"},
		{japanese.ShiftJIS, "日付,摘要,出金,入金\n2026年1月15日,ATM,1,\n2026年2月3日,給与,,2"},
		{korean.EUCKR, "거래일자,내용,출금액\n스타벅스 강남점"},
		{simplifiedchinese.GB18030, "交易时间,商品,金额\n星巴克咖啡,地铁"},
		{traditionalchinese.Big5, "交易日期,說明,金額\n台北捷運,星巴克咖啡"},
	}
	for _, test := range tests {
		raw, err := test.charset.NewEncoder().Bytes([]byte(test.text))
		if err != nil {
			t.Fatalf("%s: %v", test.text, err)
		}
		for _, padding := range []string{"", strings.Repeat("a;b;c\n", 40_000)} {
			file, err := Decode(bytes.NewReader([]byte(padding+string(raw))), true)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				got, err := io.ReadAll(file)
				if mended := Mend(string(got)); err != nil || mended != padding+test.text {
					t.Errorf("%s: got %q, %v", test.text, strings.TrimPrefix(mended, padding), err)
				}
				if _, err := file.Seek(0, io.SeekStart); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestUTF16IsReadWithAndWithoutAMark(t *testing.T) {
	for name, charset := range map[string]encoding.Encoding{
		"little, marked": utf16.UTF16(utf16.LittleEndian, utf16.UseBOM), "little": utf16.UTF16(utf16.LittleEndian, utf16.IgnoreBOM),
		"big, marked": utf16.UTF16(utf16.BigEndian, utf16.UseBOM), "big": utf16.UTF16(utf16.BigEndian, utf16.IgnoreBOM),
	} {
		raw, err := charset.NewEncoder().Bytes([]byte("Day;Shop\n1;Żabka and Café\n"))
		if err != nil {
			t.Fatal(err)
		}
		file, err := Decode(bytes.NewReader(raw), false)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(file); err != nil || string(got) != "Day;Shop\n1;Żabka and Café\n" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
		if !bytes.HasPrefix(Start(raw[:33]), []byte("Day;Shop")) {
			t.Errorf("%s: begins %q", name, Start(raw[:33]))
		}
	}
	for _, text := range []string{"", "a\x00b\x00", "plain text\n", "Zo\xeb\n"} {
		if UTF16([]byte(text)) != nil {
			t.Errorf("%q: read as UTF-16", text)
		}
	}
}

func TestTextsOfOldMacsAreRead(t *testing.T) {
	for text, raw := range map[string]string{"Name,Ort\rZoë,Köln\rJosé,Málaga\r": "Name,Ort\rZo\x91,K\x9aln\rJos\x8e,M\x87laga\r", "Größe\rschön\r": "Gr\xf6\xdfe\rsch\xf6n\r"} {
		file, err := Decode(strings.NewReader(raw), true)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(file); err != nil || Mend(string(got)) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
}
